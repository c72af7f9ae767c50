package threadping.probe.lock;

import java.util.Locale;
import threadping.probe.Failure;

/** A lock let an increment be lost, or doubled. */
final class CountWrong extends Failure {
  private static final long serialVersionUID = 1L;

  private CountWrong(String message) {
    super(Code.COUNT_WRONG, message);
  }

  /** Throws unless the counters hold as many increments as were made. */
  static void check(long made, long found) {
    if (found == made) {
      return;
    }
    long difference = Math.abs(made - found);
    throw new CountWrong(
        String.format(
            Locale.ROOT,
            "The counter holds %,d %s %s",
            difference,
            difference == 1 ? "increment" : "increments",
            found < made
                ? "fewer than were made: the lock let them be lost."
                : "more than were made: the lock let some be doubled."));
  }
}
