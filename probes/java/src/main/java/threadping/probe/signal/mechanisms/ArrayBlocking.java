package threadping.probe.signal.mechanisms;

import java.util.concurrent.ArrayBlockingQueue;
import threadping.probe.Params;

/**
 * Two ArrayBlockingQueues with room for one message: inside, a ReentrantLock with two Conditions
 * that are signalled while it is held.
 *
 * <p>The write that must be seen is the message; the queue's lock orders it.
 */
final class ArrayBlocking extends Blocking {
  ArrayBlocking() {
    super(
        "array-blocking-queue",
        "Each side puts a message into the other's ArrayBlockingQueue and takes from its own.",
        "Sleeps while it waits; a lock, a condition and a wake-up for every hand-over: what a"
            + " thread pool's task queue costs.");
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    return new Mailboxes.Pair(
        new QueueBox(new ArrayBlockingQueue<>(1)), new QueueBox(new ArrayBlockingQueue<>(1)));
  }
}
