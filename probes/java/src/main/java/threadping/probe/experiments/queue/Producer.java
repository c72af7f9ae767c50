package threadping.probe.experiments.queue;

import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.queues.Gating;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.platform.LinePair;

/** A producer: sends batches as fast as it can, and stamps the first message of some. */
final class Producer extends LinePair implements Player {
  private final Queue queue;
  private final Queue.Sender sender;
  private final Gating gating;
  private final int index;
  private final int batch;

  /** Messages that may be in flight; 0 leaves it to the queue. */
  private final int inFlight;

  /** Whether it has the next message before it may send it. */
  private final boolean stampsFirst;

  /** Steps for all messages of a batch. */
  private final int work;

  /** How far its work has come: the next step waits for the last one. */
  private long chain = 1;

  /** The number of its next message, ... */
  private long next;

  /** ... and how many it may send, as far as it knows: what was taken is a miss away. */
  private long claimable;

  Producer(Queue queue, int index, Shape shape, int inFlight, int produce, Gating gating) {
    this.queue = queue;
    this.sender = queue.sender(index);
    this.gating = gating;
    this.index = index;
    this.batch = shape.batch();
    this.inFlight = inFlight;
    this.stampsFirst = shape.inFlight() == 0;
    this.work = produce * batch;
    this.claimable = inFlight == 0 ? Long.MAX_VALUE : 0;
  }

  /** Where one message of a group is stamped its batch is in the middle of the group. */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    int every = task.every();
    if (every == 0) {
      return send(task.count(), Message.MARKED);
    }
    int before = every / 2 / batch * batch;
    int after = Math.max(0, every - before - batch);
    int done = 0;
    while (done < task.count() && !queue.isStopped()) {
      done += send(before, 0) + sendStamped();
      samples.readClock(1);
      done += send(after, 0);
    }
    return done;
  }

  /**
   * Sends batches until a number of messages are sent, the first of them marked, or the queue was
   * stopped; gives how many it sent. What it keeps is copied, so that most of it is in registers.
   */
  private int send(int count, long mark) throws InterruptedException {
    Queue.Sender to = sender.copy();
    int each = batch;
    int steps = work;
    long value = chain;
    long may = claimable;
    long first = next;
    long at = first;
    long id = Message.id(index, at) | mark;
    for (long end = at + count; at < end; at += each) {
      if (steps > 0) {
        value = Work.steps(steps, value);
      }
      if (at + each > may && (may = gating.claim(index, at + each, inFlight)) == 0) {
        break;
      }
      if (!to.trySend(id, each)) {
        sender.keep(to); // which must not leave the loop, or it is in memory
        if (!sender.send(id, each)) {
          break;
        }
        to.keep(sender);
      }
      id = (id & ~Message.MARKS) + Message.STEP * each;
    }
    sender.keep(to);
    chain = value;
    claimable = may;
    next = at;
    return (int) (at - first);
  }

  /**
   * One batch, whose first message says when the producer had it: before it waits for space, and
   * once. One that waits because no more of its messages may be in flight does not have the next
   * one yet; but where that is all that bounds a queue this is its wait for space.
   */
  private int sendStamped() throws InterruptedException {
    long id = Message.id(index, next) | Message.STAMPED;
    chain = Work.steps(work, chain);
    long now = stampsFirst ? System.nanoTime() : 0;
    if (next + batch > claimable
        && (claimable = gating.claim(index, next + batch, inFlight)) == 0) {
      return 0;
    }
    sender.stamp(id, stampsFirst ? now : System.nanoTime());
    if (!sender.send(id, batch)) {
      return 0;
    }
    next += batch;
    return batch;
  }

  /** Sent through the queue itself, so that a consumer that sleeps wakes. */
  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    sender.send(Message.end(index), 1);
    return 0;
  }
}
