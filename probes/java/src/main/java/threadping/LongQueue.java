package threadping;

/**
 * A queue of numbers, first in, first out, for what carries values or bytes rather than references:
 * of one producer and one consumer, or of several producers where yours can have them. Measured by
 * the experiments {@code queue} and {@code load}.
 *
 * <p>A class of your own has a constructor {@code (int capacity)}, or one without parameters if it
 * has no bound, and two methods to write.
 */
public interface LongQueue {
  /** What {@link #poll} gives if there is nothing; no number that is offered is negative. */
  long NONE = -1;

  /** Puts a number in; false if it is full, and then the number is offered again. */
  boolean offer(long number) throws InterruptedException;

  /** Takes the oldest number out; {@link #NONE}, at once, if there is none. */
  long poll() throws InterruptedException;

  /** Ends every wait in {@link #offer}. Any thread calls it, again and again. */
  default void stop() {}
}
