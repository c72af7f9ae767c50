package threadping.probe.lock;

/** What each worker does on a line: calls of a timed loop. */
final class Stint {
  final Order.Kind kind;

  /** So many calls, or {@link Order#UNTIL_TOLD}. */
  final int calls;

  /** So many operations in each. */
  final int chunk;

  /** In a sampled call one operation in so many is timed. */
  final int every;

  /** Whether no wait can be kept, as towards the end of a long trial. */
  final boolean isWithoutRoom;

  private Stint(Order.Kind kind, int calls, int chunk, int every, boolean isWithoutRoom) {
    this.kind = kind;
    this.calls = calls;
    this.chunk = chunk;
    this.every = every;
    this.isWithoutRoom = isWithoutRoom;
  }

  static Stint plain(int calls, int chunk) {
    return new Stint(Order.Kind.PLAIN, calls, chunk, 1, false);
  }

  static Stint sampled(int calls, int chunk, int every) {
    return new Stint(Order.Kind.SAMPLED, calls, chunk, every, false);
  }

  /** Sampled calls that cannot keep what they would time, and therefore time nothing. */
  static Stint withoutRoom(int calls, int chunk) {
    return new Stint(Order.Kind.SAMPLED, calls, chunk, 1, true);
  }

  static Stint rehearsal(int calls) {
    return new Stint(Order.Kind.REHEARSE, calls, 0, 1, false);
  }

  /** Until the next order. */
  static Stint untilTold(boolean sampled, int chunk, int every) {
    return sampled ? sampled(Order.UNTIL_TOLD, chunk, every) : plain(Order.UNTIL_TOLD, chunk);
  }

  /** The operations of one thread. */
  long ops() {
    return (long) calls * chunk;
  }

  boolean isLook() {
    return calls == Order.UNTIL_TOLD;
  }

  boolean isSampled() {
    return kind == Order.Kind.SAMPLED;
  }
}
