package threadping.probe.mechanisms.queues;

import java.util.concurrent.BlockingQueue;

/**
 * A queue of java.util.concurrent: a producer sleeps until there is room, and the consumer until
 * there is something, which it then takes until there is nothing. The messages come from {@link
 * Pool}s; what a linked queue makes for each of them is the queue's own, and garbage.
 *
 * <p>The write that must be seen is the message's; the queue orders it.
 */
final class Blocking extends Queue {
  /** Wakes whoever sleeps when it is over. */
  private static final Message STOP = Message.with(0);

  private final BlockingQueue<Message> queue;
  private final Shape shape;

  Blocking(BlockingQueue<Message> queue, Shape shape) {
    this.queue = queue;
    this.shape = shape;
  }

  @Override
  public Sender sender(int producer) {
    return new Pool(shape) {
      @Override
      boolean put(Message message) throws InterruptedException {
        queue.put(message);
        return !isStopped(); // which makes room again and again
      }
    };
  }

  @Override
  public Taker taker(int consumer) {
    return new OneByOne() {
      @Override
      protected Message take() throws InterruptedException {
        return isStopped() ? null : unlessStop(queue.take());
      }

      @Override
      protected Message poll() {
        return unlessStop(queue.poll());
      }
    };
  }

  private static Message unlessStop(Message message) {
    return message == STOP ? null : message;
  }

  /** Makes room for whoever puts, and gives something to whoever takes. */
  @Override
  protected void endWaits() {
    queue.clear();
    queue.offer(STOP);
  }
}
