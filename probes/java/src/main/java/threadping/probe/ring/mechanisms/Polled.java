package threadping.probe.ring.mechanisms;

import java.util.Queue;
import threadping.probe.ring.Inlet;
import threadping.probe.ring.Message;
import threadping.probe.ring.MessageQueue;
import threadping.probe.ring.OneByOne;
import threadping.probe.ring.Outlet;
import threadping.probe.ring.Shape;
import threadping.probe.waits.Wait;

/**
 * A bounded queue of references that never blocks (JCTools', Agrona's): a producer offers until
 * there is room, and the consumer polls until there is something, and then until there is nothing.
 * The messages come from {@link Pool}s.
 *
 * <p>The write that must be seen is the message's; the queue orders it by the reference's.
 */
final class Polled extends MessageQueue {
  private final Queue<Message> queue;
  private final Shape shape;
  private final Wait wait;

  Polled(Queue<Message> queue, Shape shape, Wait wait) {
    this.queue = queue;
    this.shape = shape;
    this.wait = wait;
  }

  @Override
  public Inlet inlet(int producer) {
    return new Pool(shape) {
      @Override
      public boolean publish(long first, long last) {
        return offer(message(last));
      }
    };
  }

  /** One at a time: these queues take no batch. */
  private boolean offer(Message message) {
    if (queue.offer(message)) {
      return true;
    }
    long state = wait.start();
    do {
      if (isStopped()) {
        return false;
      }
      state = wait.again(state);
      message.stampAnew();
    } while (!queue.offer(message));
    return true;
  }

  @Override
  public Outlet outlet(int consumer) {
    return new OneByOne() {
      @Override
      protected Message take() {
        Message message = queue.poll();
        return message != null ? message : awaited();
      }

      @Override
      protected Message poll() {
        return queue.poll();
      }
    };
  }

  private Message awaited() {
    long state = wait.start();
    Message message;
    while ((message = queue.poll()) == null) {
      if (isStopped()) {
        return null;
      }
      state = wait.again(state);
    }
    return message;
  }
}
