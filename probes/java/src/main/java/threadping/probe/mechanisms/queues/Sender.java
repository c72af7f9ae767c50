package threadping.probe.mechanisms.queues;

/** Where one producer sends. */
public interface Sender {
  /**
   * Sends so many messages, of which the first has this id, and the others those that follow
   * ({@link Message#next}); waits until there is room. False if it was stopped.
   */
  boolean send(long id, int count) throws InterruptedException;

  /** Whether the message that is sent next takes with it that it was sent at this time. */
  default boolean takesAlong(long sentNs) {
    return false;
  }
}
