package threadping.probe.signal.mechanisms;

import java.util.concurrent.SynchronousQueue;
import threadping.probe.Params;

/**
 * Two SynchronousQueues: a message is handed over only when both threads have come; whoever comes
 * first spins for a moment and then parks. The queue itself allocates a node for each hand-over.
 *
 * <p>The write that must be seen is the message; the queue orders it.
 */
final class Synchronous extends Blocking {
  Synchronous() {
    super(
        "synchronous-queue",
        "The threads meet at a SynchronousQueue for each direction: a message is handed over only"
            + " when both have come.",
        "Spins for a moment, then sleeps; what Executors.newCachedThreadPool pays to hand over a"
            + " task.");
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    return new Mailboxes.Pair(
        new QueueBox(new SynchronousQueue<>()), new QueueBox(new SynchronousQueue<>()));
  }
}
