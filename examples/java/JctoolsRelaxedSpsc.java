import org.jctools.queues.SpscArrayQueue;

/** JCTools' ring by its relaxed calls, which may find it full, or empty, when it just was. */
public final class JctoolsRelaxedSpsc<T> implements threadping.MessageQueue<T> {
  private final SpscArrayQueue<T> queue;

  JctoolsRelaxedSpsc(int capacity) { queue = new SpscArrayQueue<>(capacity); }
  public boolean offer(T message) { return queue.relaxedOffer(message); }
  public T poll() { return queue.relaxedPoll(); }
}
