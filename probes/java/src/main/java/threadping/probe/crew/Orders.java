package threadping.probe.crew;

/**
 * How the lead leads the members: one order for all, which it replaces once every member has obeyed
 * it. Made with room around it, and looked at only between loops. It relies on no mechanism's
 * ordering.
 */
final class Orders {
  /** What all members are to do, until the next order. */
  enum Kind {
    /** Nothing. */
    REST,

    /** Operations on the line. */
    WORK,

    /** The same, and time the first ones of each chunk. */
    SAMPLE,

    /** Read those counters that take long to read. */
    PREPARE,

    /** Read the others: what is counted from here on is measuring. */
    BEGIN,

    /** Read them again, the quick ones first, */
    END,

    /** and then those that take long. */
    FINISH,

    /** End. */
    LEAVE
  }

  /** As many operations as there is time for until the next order. */
  static final long UNTIL_TOLD = Long.MAX_VALUE;

  /** The number of the order to leave; a later order has a larger number. */
  private static final long LAST = Long.MAX_VALUE;

  private volatile long number;
  private Kind kind = Kind.REST;
  private int line;
  private long count;
  private int chunk;
  private int timed = 1;

  // ---- the lead ----

  /**
   * Orders so many operations, with so many between two looks at the orders, of which so many are
   * timed. The last store publishes the ones before.
   */
  void give(long newNumber, Kind newKind, int newLine, long newCount, int newChunk, int newTimed) {
    kind = newKind;
    line = newLine;
    count = newCount;
    chunk = newChunk;
    timed = newTimed;
    publish(newNumber);
  }

  /** The last order, at any time: who gives it may not know who is reading an order just now. */
  void leave() {
    publish(LAST);
  }

  private synchronized void publish(long newNumber) {
    number = newNumber;
    notifyAll();
  }

  // ---- a member ----

  /** Of the latest order; larger for a later one. */
  long number() {
    return number;
  }

  /** Sleeps until there is a later order than this one. */
  synchronized void sleep(long obeyed) throws InterruptedException {
    while (number == obeyed) {
      wait();
    }
  }

  /** Of the order of this number, as everything that follows. */
  Kind kind(long ofNumber) {
    return ofNumber == LAST ? Kind.LEAVE : kind;
  }

  int line() {
    return line;
  }

  long count() {
    return count;
  }

  int chunk() {
    return chunk;
  }

  int timed() {
    return timed;
  }
}
