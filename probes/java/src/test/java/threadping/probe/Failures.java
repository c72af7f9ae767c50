package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.function.Executable;

/** Asserts on failures. */
public final class Failures {
  private Failures() {}

  /** Fails unless this fails with that code; returns the failure's sentence. */
  public static String assertFails(Failure.Code code, Executable what) {
    Failure failure = assertThrows(Failure.class, what);
    assertEquals(code, failure.code, failure.getMessage());
    return failure.getMessage();
  }

  /**
   * Fails unless this does where a player threw something that nobody foresaw, which says this; and
   * unless its stack trace would be shown, which it is not here.
   */
  public static void assertBreaksDown(String message, Executable trial) {
    AtomicReference<Throwable> shown = new AtomicReference<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> shown.set(error));
    try {
      String sentence = assertFails(Failure.Code.INTERNAL, trial);
      assertTrue(sentence.contains(message), sentence);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(null);
    }
    assertTrue(String.valueOf(shown.get()).contains(message), "shown: " + shown.get());
  }

  /**
   * Fails unless a trial of this request does, with that code; returns the failure's sentence. One
   * that reached its bound before it came to the fault, on a busy machine, gets more time.
   */
  public static String assertFails(Failure.Code code, TrialRequest request, Executable trial) {
    return assertFails(
        code,
        () -> {
          for (; request.boundNs < 20_000 * TrialRequest.MS; request.boundNs *= 4) {
            trial.execute();
          }
        });
  }
}
