package threadping.probe.crew;

/** What all members are to do, until the next order. */
final class Order {
  enum Kind {
    /** Nothing. */
    REST,

    /** Operations on the line. */
    WORK,

    /** Make what looks at outliers, now that all stand where they are to stand ... */
    OPEN,

    /** ... and find out what a look takes. */
    LOOK,

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

  /** A later order has a larger one. */
  final long number;

  final Kind kind;
  final int line;

  /** How many operations of each member. */
  final long count;

  /** How many of them are one loop, between two looks at the orders. */
  final int chunk;

  /** And of those, how many are timed, the first ones. */
  final int timed;

  Order(long number, Kind kind, int line, long count, int chunk, int timed) {
    this.number = number;
    this.kind = kind;
    this.line = line;
    this.count = count;
    this.chunk = chunk;
    this.timed = timed;
  }

  /** One that is no work. */
  Order(long number, Kind kind) {
    this(number, kind, 0, 0, 1, 0);
  }
}
