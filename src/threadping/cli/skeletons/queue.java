import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A queue of references, first in, first out, of one producer and one consumer. */
public final class MyQueue<T> implements threadping.MessageQueue<T> {
  private final AtomicReferenceArray<T> slots;
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong polled = new AtomicLong();

  /** A queue for this number of messages. One without a bound has no parameter here. */
  public MyQueue(int capacity) {
    slots = new AtomicReferenceArray<>(capacity);
  }

  /**
   * Puts a message in; false if the queue is full. What was written to the message before is
   * seen by the thread that polls it.
   */
  @Override
  public boolean offer(T message) {
    long place = offered.getPlain();
    if (place - polled.getAcquire() == slots.length()) {
      return false;
    }
    slots.setPlain((int) (place % slots.length()), message);
    offered.setRelease(place + 1);
    return true;
  }

  /** Takes the oldest message out; null, at once, if there is none. */
  @Override
  public T poll() {
    long place = polled.getPlain();
    if (place == offered.getAcquire()) {
      return null;
    }
    T message = slots.getPlain((int) (place % slots.length()));
    polled.setRelease(place + 1);
    return message;
  }
}
