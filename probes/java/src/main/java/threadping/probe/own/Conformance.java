package threadping.probe.own;

import threadping.probe.Failure;

/**
 * Whether a user's class keeps its concept's contract, tried for a second or two before anything is
 * measured: what goes wrong once in a million is left to the trials, which look at every operation
 * too.
 */
public final class Conformance {
  private static final long PATIENCE_NS = 5_000_000_000L;

  private final OwnMechanism own;

  Conformance(OwnMechanism own) {
    this.own = own;
  }

  /** Says what was tried. Throws Failure, which says what was seen of a broken one. */
  public String check() {
    return check(PATIENCE_NS);
  }

  /** Checks it with this patience: what does not move for longer hangs. */
  String check(long patienceNs) {
    try {
      return switch (own.concept()) {
        case SIGNAL -> new SignalCheck(own, patienceNs).check();
        case QUEUE -> new QueueCheck(own, patienceNs).check();
        case LOCK -> new LockCheck(own, patienceNs).check();
      };
    } catch (OutOfMemoryError full) {
      throw Failure.Code.INTERNAL.failure(full, "%s threw %s.", own.type().getName(), full);
    }
  }
}
