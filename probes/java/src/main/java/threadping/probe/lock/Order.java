package threadping.probe.lock;

/** What all workers are to do, until the next order. */
final class Order {
  /** In place of a number of calls. */
  static final int UNTIL_TOLD = Integer.MAX_VALUE;

  enum Kind {
    /** Nothing. */
    HOLD,

    /** All that surrounds an operation, without one. */
    REHEARSE,

    /** Operations on the line. */
    PLAIN,

    /** The same, and time some of them. */
    SAMPLED,

    /** Read the counters, forget all waits of the warm-up, and hold. */
    BEGIN,

    /** Read the counters again, and hold. */
    END,

    /** End. */
    LEAVE
  }

  /** A later order has a larger number. */
  final long number;

  final Kind kind;
  final int line;

  /** How often the timed loop is called. */
  final int calls;

  /** How many operations a call performs. */
  final int chunk;

  /** In a sampled call one operation in so many is timed. */
  final int every;

  /** How many waits may be kept. */
  final int room;

  private Order(long number, Kind kind, int line, int calls, int chunk, int every, int room) {
    this.number = number;
    this.kind = kind;
    this.line = line;
    this.calls = calls;
    this.chunk = chunk;
    this.every = every;
    this.room = room;
  }

  /** Work on a line. */
  static Order work(long number, int line, Stint stint) {
    int room = stint.isWithoutRoom ? 0 : Integer.MAX_VALUE;
    return new Order(number, stint.kind, line, stint.calls, stint.chunk, stint.every, room);
  }

  /** Anything but work. */
  static Order to(long number, Kind kind) {
    return new Order(number, kind, 0, 0, 0, 1, 0);
  }
}
