package threadping.probe.mechanisms.queues;

import threadping.probe.waits.Wait;

/**
 * A bounded queue of references that never blocks (JCTools', Agrona's): a producer offers until
 * there is room, and the consumer polls until there is something, and then until there is nothing.
 * The messages come from {@link Pool}s.
 *
 * <p>The write that must be seen is the message's; the queue orders it by the reference's.
 */
final class Polled extends Queue {
  private final java.util.Queue<Message> queue;
  private final Shape shape;
  private final Wait wait;

  Polled(java.util.Queue<Message> queue, Shape shape, Wait wait) {
    this.queue = queue;
    this.shape = shape;
    this.wait = wait;
  }

  @Override
  public Sender sender(int producer) {
    return new Pool(shape) {
      @Override
      boolean put(Message message) {
        return queue.offer(message) || offerAgain(message);
      }
    };
  }

  private boolean offerAgain(Message message) {
    long state = wait.start();
    do {
      if (isStopped()) {
        return false;
      }
      state = wait.again(state);
    } while (!queue.offer(message));
    return true;
  }

  @Override
  public Taker taker(int consumer) {
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
