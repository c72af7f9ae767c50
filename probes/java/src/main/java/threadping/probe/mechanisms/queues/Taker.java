package threadping.probe.mechanisms.queues;

/**
 * Where one consumer takes messages, in the order of their places, which are counted from 0: it
 * waits for the first of a take, and goes on as long as there are more.
 */
public interface Taker {
  /** Waits for the message in this place; returns the last place in which there is one by now. */
  long await(long place) throws InterruptedException;

  /** The same without waiting; less than the place if there is none. So does a stop answer. */
  long more(long place);

  /** The id of the message in a place in which there is one. */
  long id(long place);

  /** Whether every word of that message is as it was written; only where it carries some. */
  boolean isWhole(long place);

  /** When it was sent, where that travels with the message; 0 where it stands elsewhere. */
  default long sentNs(long place) {
    return 0;
  }

  /** All before this place were taken. */
  void release(long place);

  /** After a take: whether this place is still empty, so that nobody queues for the taker. */
  boolean isEmpty(long place);
}
