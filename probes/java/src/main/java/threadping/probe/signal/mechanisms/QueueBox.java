package threadping.probe.signal.mechanisms;

import java.util.concurrent.BlockingQueue;

/**
 * A blocking queue that one message goes through at a time: a SynchronousQueue, in which it is
 * handed over only when both threads have come, whoever comes first spins for a moment and then
 * parks, and each hand-over allocates a node; or an ArrayBlockingQueue with room for one message,
 * inside a ReentrantLock with two Conditions that are signalled while it is held.
 *
 * <p>The write that must be seen is the message; the queue orders it.
 */
final class QueueBox implements Mailbox {
  private final BlockingQueue<Message> queue;
  private final Message message = new Message();

  QueueBox(BlockingQueue<Message> queue) {
    this.queue = queue;
  }

  @Override
  public void send(long handOvers) throws InterruptedException {
    message.handOvers = handOvers;
    queue.put(message);
  }

  @Override
  public long receive(long expected) throws InterruptedException {
    return queue.take().handOvers;
  }

  /** Frees a sender that waits for room or for its receiver, and a receiver that waits. */
  @Override
  public void stop() {
    queue.poll();
    queue.offer(Message.STOP);
  }
}
