package threadping;

/**
 * A queue of references, first in, first out: of one producer and one consumer, or of several
 * producers where yours can have them. Measured by the experiments {@code queue} and {@code load}.
 *
 * <p>A class of your own has a constructor {@code (int capacity)}, or one without parameters if it
 * has no bound, and two methods to write. What already is a {@link java.util.Queue} is measured as
 * it is.
 */
public interface MessageQueue<T> {
  /**
   * Puts a message in; false if it is full, and then the message is offered again. What was written
   * to the message before is seen by the thread that polls it.
   */
  boolean offer(T message) throws InterruptedException;

  /** Takes the oldest message out; null, at once, if there is none. */
  T poll() throws InterruptedException;

  /**
   * The same where {@link #poll} has just found none; one that sleeps until there is a message does
   * it here. Null if there is none or the queue was stopped, and then it is asked again.
   */
  default T take() throws InterruptedException {
    return poll();
  }

  /** Ends every wait in {@link #offer} and {@link #take}. Any thread calls it, again and again. */
  default void stop() {}

  /** Whether a waiting thread sleeps in here, rather than return at once. */
  default boolean sleeps() {
    return false;
  }
}
