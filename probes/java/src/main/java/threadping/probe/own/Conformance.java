package threadping.probe.own;

import threadping.probe.Failure;

/**
 * Whether a user's class keeps what its concept promises, tried for a second or two before anything
 * is measured: what goes wrong once in a million is left to the trials, which look at every
 * operation too.
 */
public final class Conformance {
  private static final long PATIENCE_NS = 5_000_000_000L;

  private final Class<?> type;
  private final OwnClass.Concept concept;
  private final OwnMechanism own;

  Conformance(Class<?> type, OwnClass.Concept concept, OwnMechanism own) {
    this.type = type;
    this.concept = concept;
    this.own = own;
  }

  /** Says what was tried. Throws Failure, which says what was seen of a broken one. */
  public String check() {
    return check(PATIENCE_NS);
  }

  /** The same where what does not move for so long hangs. */
  String check(long patienceNs) {
    try {
      return switch (concept) {
        case SIGNAL -> new SignalCheck(type, own, patienceNs).check();
        case QUEUE -> new QueueCheck(type, own, patienceNs).check();
        case LOCK -> new LockCheck(type, own, patienceNs).check();
      };
    } catch (OutOfMemoryError full) {
      throw Failure.Code.INTERNAL.failure(full, "%s threw %s.", type.getName(), full);
    }
  }
}
