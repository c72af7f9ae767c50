package threadping.probe.experiments.ring;

import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Sender;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/** A producer: sends batches as fast as it can, and stamps the first message of some. */
final class Producer extends LinePair implements Player {
  private final Queue queue;
  private final Sender sender;
  private final int number;
  private final int batch;

  /** For all messages of a batch. */
  private final int work;

  private final Books books;
  private final Wait wait;

  /** How far beyond what was taken an id may be. */
  private final long inFlight;

  /** How far its work has come: the next step waits for the last one. */
  private long chain = 1;

  /** The id of its next message. */
  private long next;

  /** Ids up to it may be sent, as far as it knows: what was taken is a miss away. */
  private long limit;

  Producer(Queue queue, int number, Shape shape, Books books, Wait wait) {
    this.queue = queue;
    this.sender = queue.sender(number);
    this.number = number;
    this.batch = shape.batch();
    this.work = shape.produce() * batch;
    this.books = books;
    this.wait = wait;
    this.inFlight = Message.STEP * shape.inFlight();
    this.next = Message.first(number);
    this.limit = shape.inFlight() == 0 ? Long.MAX_VALUE : next;
  }

  /**
   * Sends batches, each after its work; of a group of messages the batch is stamped in which its
   * middle is.
   */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    int done = 0;
    int stamped = 0;
    int stampAt = task.every() == 0 ? Integer.MAX_VALUE : task.every() / 2;
    int steps = work;
    long value = chain;
    while (done < task.count()) {
      if (steps > 0) {
        value = Work.steps(steps, value);
      }
      boolean isStamped = stampAt < done + batch;
      if (!send(isStamped)) {
        break;
      }
      done += batch;
      if (isStamped) {
        stamped++;
        stampAt = Math.max(stampAt + task.every(), done);
      }
    }
    chain = value;
    samples.readClock(stamped);
    Words.setRelease(books.sent(number), next);
    return done;
  }

  /** The stamp is from before it waits for room in the queue, and the only one. */
  private boolean send(boolean isStamped) throws InterruptedException {
    long id = next;
    long after = id + Message.STEP * batch;
    if (after > limit && !awaitLanding(after)) {
      return false;
    }
    if (isStamped) {
      long now = System.nanoTime();
      if (!sender.takesAlong(now)) {
        books.stamp(id, now);
      }
      id |= Message.STAMPED;
    }
    if (!sender.send(id, batch)) {
      return false;
    }
    next = after;
    return true;
  }

  /** Until every consumer has taken so many that ids up to this one may be under way. */
  private boolean awaitLanding(long after) {
    long state = wait.start();
    while (after > (limit = books.leastTaken(number) + inFlight)) {
      if (queue.isStopped()) {
        return false;
      }
      state = wait.again(state);
    }
    return true;
  }

  /** Sent through the queue itself, so that a consumer that sleeps wakes. */
  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    sender.send(Message.end(number), 1);
    return 0;
  }
}
