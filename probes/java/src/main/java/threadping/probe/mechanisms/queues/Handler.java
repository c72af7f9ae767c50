package threadping.probe.mechanisms.queues;

/** What a consumer does with messages that are there. */
public interface Handler {
  /**
   * Handles the messages from the first place on, up to before the end; places are counted from
   * where the take began.
   */
  void handle(Messages messages, long first, long end);

  /** Messages of a take by their places in it. */
  interface Messages {
    long id(long place);

    /** Whether every word is unchanged; only where the message carries some. */
    boolean isWhole(long place);
  }
}
