package threadping.probe;

import java.util.Locale;

/** Why a trial could not be measured, in the contract's words. */
public class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The contract's error codes, each with the exit status that it ends the probe with. */
  public enum Code {
    BAD_REQUEST("bad-request", 2),
    UNKNOWN_EXPERIMENT("unknown-experiment", 2),
    UNKNOWN_MECHANISM("unknown-mechanism", 2),
    UNKNOWN_PARAM("unknown-param", 2),
    UNSUPPORTED("unsupported", 2),
    PIN_FAILED("pin-failed", 1),
    STALLED("stalled", 1),
    SEQUENCE_BROKEN("sequence-broken", 1),
    COUNT_WRONG("count-wrong", 1),
    INTERNAL("internal", 1);

    public final String word;

    /** 2 where the request cannot be met as written, 1 where measuring failed. */
    public final int exitStatus;

    Code(String word, int exitStatus) {
      this.word = word;
      this.exitStatus = exitStatus;
    }

    /** With this sentence, a format, and its facts. */
    public Failure failure(String sentence, Object... facts) {
      return failure(null, sentence, facts);
    }

    /** The same, and what caused it. */
    public Failure failure(Throwable cause, String sentence, Object... facts) {
      return new Failure(this, String.format(Locale.ROOT, sentence, facts), cause);
    }
  }

  public final Code code;

  /** What the C++ part throws: a code as the contract spells it, and a sentence. */
  public static Failure of(String word, String sentence) {
    for (Code code : Code.values()) {
      if (code.word.equals(word)) {
        return new Failure(code, sentence, null);
      }
    }
    return new Failure(Code.INTERNAL, sentence, null);
  }

  private Failure(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }
}
