package threadping.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import threadping.probe.platform.Json;

/** Why a trial could not be measured, in the contract's words. */
public class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The version of the contract that this probe speaks. */
  private static final int SCHEMA = 4;

  /** The contract's error codes, those first that say that a request cannot be met as written. */
  public enum Code {
    BAD_REQUEST,
    UNKNOWN_EXPERIMENT,
    UNKNOWN_MECHANISM,
    UNKNOWN_PARAM,
    UNSUPPORTED,
    PIN_FAILED,
    STALLED,
    SEQUENCE_BROKEN,
    COUNT_WRONG,
    INTERNAL;

    /** As the contract spells it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The probe's: 2 where the request cannot be met as written, 1 where measuring failed. */
    public int exitStatus() {
      return compareTo(UNSUPPORTED) <= 0 ? 2 : 1;
    }

    /** With this sentence, a format, and its facts. */
    public Failure failure(String sentence, Object... facts) {
      return failure(null, sentence, facts);
    }

    /** A failure with its cause. */
    public Failure failure(Throwable cause, String sentence, Object... facts) {
      return new Failure(this, String.format(Locale.ROOT, sentence, facts), cause);
    }
  }

  public final Code code;

  /** The code's in threadping.h, which numbers them in the same order from 1 on. */
  private final int number;

  /** What the C++ part throws: a number of a code, and a sentence. */
  public static Failure of(int number, String sentence) {
    return new Failure(Code.values()[number - 1], sentence, null);
  }

  /** The contract's message, which can be written without the native library too. */
  public byte[] json() {
    Json.Fields error = Json.object("code message").with(code.word(), getMessage());
    Json.Fields message = Json.object("schema error").with(SCHEMA, error);
    return (Json.of(message) + "\n").getBytes(UTF_8);
  }

  private Failure(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.number = code.ordinal() + 1;
  }
}
