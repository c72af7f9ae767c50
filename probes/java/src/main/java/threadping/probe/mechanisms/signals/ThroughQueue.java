package threadping.probe.mechanisms.signals;

import java.util.concurrent.BlockingQueue;
import threadping.probe.platform.Words;

/**
 * A blocking queue that one message goes through at a time: a SynchronousQueue, in which it is
 * handed over only when both threads have come, whoever comes first spins for a moment and then
 * parks, and each hand-over allocates a node; or an ArrayBlockingQueue with room for one message,
 * inside a ReentrantLock with two Conditions that are signalled while it is held. Publisher and
 * awaiter meet.
 *
 * <p>The write that must be seen is the message; the queue orders it.
 */
final class ThroughQueue extends SignalInWord {
  private final BlockingQueue<Message> queue;
  private final Message message = new Message();

  ThroughQueue(long word, BlockingQueue<Message> queue) {
    super(word);
    this.queue = queue;
  }

  @Override
  public void publish(long n) throws InterruptedException {
    message.number = n;
    queue.put(message);
    Words.setRelease(word, n);
  }

  @Override
  public long await(long n) throws InterruptedException {
    return queue.take().number;
  }

  /** Frees a publisher that waits for room or for its awaiter, and an awaiter that waits. */
  @Override
  public void stop() {
    Words.setVolatile(word, STOPPED);
    queue.poll();
    queue.offer(Message.STOP);
  }
}
