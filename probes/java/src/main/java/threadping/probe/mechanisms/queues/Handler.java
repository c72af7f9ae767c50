package threadping.probe.mechanisms.queues;

/** What a consumer does with messages that are there. */
public interface Handler {
  /** Handles the messages from the first place on, up to before the end. */
  void handle(Messages messages, long first, long end);

  /** Messages by their places. */
  interface Messages {
    long id(long place);

    /** Whether every word is as it was written; only where the message carries some. */
    boolean isWhole(long place);
  }
}
