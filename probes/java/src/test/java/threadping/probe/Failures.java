package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
