package threadping.probe.signal.mechanisms;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;

/**
 * A blocking queue that one message goes through at a time.
 *
 * <p>The write that must be seen is the message; the queue orders it.
 */
final class QueueBox implements Mailbox {
  private final BlockingQueue<Message> queue;
  private final Message message = new Message();

  private QueueBox(BlockingQueue<Message> queue) {
    this.queue = queue;
  }

  /**
   * SynchronousQueues: a message is handed over only when both threads have come; whoever comes
   * first spins for a moment and then parks. The queue itself allocates a node for each hand-over.
   */
  static Pair synchronous() {
    return new Pair(new QueueBox(new SynchronousQueue<>()), new QueueBox(new SynchronousQueue<>()));
  }

  /**
   * ArrayBlockingQueues with room for one message: inside, a ReentrantLock with two Conditions that
   * are signalled while it is held.
   */
  static Pair arrayBlocking() {
    return new Pair(
        new QueueBox(new ArrayBlockingQueue<>(1)), new QueueBox(new ArrayBlockingQueue<>(1)));
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
