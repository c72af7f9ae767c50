package threadping.probe.experiments.queue;

import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.queues.Gating;
import threadping.probe.mechanisms.queues.Handler;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Words;

/**
 * A consumer: takes all that is there, again and again, holds every message against the id that is
 * due, and times what is stamped.
 *
 * <p>Of the producer whose message came last the id due is at hand, so that as long as one alone
 * sends, or sends a batch, a message costs one comparison.
 */
final class Consumer extends LinePair implements Player, Handler {
  private static final int BATCH = 0;

  private final Queue.Taker taker;
  private final Gating gating;
  private final int index;
  private final int producers;
  private final int size;
  private final boolean isLoaded;
  private final int work;

  /** How far its work has come: the next step waits for the last one. */
  private long chain = 1;

  /** The id that is due from the producer whose message came last ... */
  private long due;

  /** ... and where this consumer's sequence of it is. */
  private long sequence;

  /** How many producers have sent their last message. */
  private int ended;

  /** Messages of the run before its latest take, and how many producers had ended. */
  private int taken;

  private int endedBefore;
  private Samples samples;

  Consumer(Queue queue, int index, Shape shape, int work, Gating gating) {
    this.taker = queue.taker(index);
    this.gating = gating;
    this.index = index;
    this.producers = shape.producers();
    this.size = shape.size();
    this.isLoaded = shape.payload() > 0;
    this.work = work;
    turnTo(0);
  }

  /**
   * Takes until it has taken {@code task.count()} messages, or there is nothing to take any more.
   */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    this.samples = samples;
    taken = 0;
    while (taken < task.count() && ended < producers) {
      endedBefore = ended;
      long came = taker.take(size, this);
      if (came == 0) {
        break;
      }
      publishSequence();
      samples.othersWait(!taker.foundNone());
      int messages = (int) came - (ended - endedBefore);
      if (messages > 0) {
        samples.number(BATCH, messages);
      }
      taken += messages;
    }
    return taken;
  }

  /** All that was sent. */
  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    return run(new Task(line, Integer.MAX_VALUE, 0, 0), samples);
  }

  @Override
  public void handle(Messages messages, long first, long end) {
    for (long at = first; at < end; ) {
      long asDue =
          isLoaded || work > 0 ? workedAsDue(messages, at, end) : asDue(messages, at, end, due);
      due += Message.STEP * asDue;
      at += asDue;
      if (at < end) {
        takeOther(messages, at);
        at++;
      }
    }
  }

  /**
   * How many from here on are those that are due. A loop of its own, in which nothing is called:
   * otherwise the virtual machine would read all that it needs of the ring again for each message.
   */
  private static long asDue(Messages messages, long first, long end, long due) {
    long at = first;
    for (long id = due; at < end && messages.id(at) == id; at++) {
      id += Message.STEP;
    }
    return at - first;
  }

  /** Handles messages that carry words, which must be whole, or that it works with. */
  private long workedAsDue(Messages messages, long first, long end) {
    boolean looks = isLoaded;
    int steps = work;
    long value = chain;
    long at = first;
    for (long id = due; at < end && messages.id(at) == id; at++) {
      if (looks && !messages.isWhole(at)) {
        throw Message.torn(id);
      }
      value = Work.steps(steps, value);
      id += Message.STEP;
    }
    chain = value;
    return at - first;
  }

  /** One that has a mark, is of another producer, the last of one, or wrong. */
  private void takeOther(Messages messages, long at) {
    long id = messages.id(at);
    long now = (id & Message.STAMPED) != 0 ? System.nanoTime() : 0;
    if (Message.producer(id) != Message.producer(due)) {
      if (Message.producer(id) >= producers) {
        throw Message.broken(due, id);
      }
      publishSequence();
      turnTo(Message.producer(id));
    }
    if (Message.isEnd(id)) {
      ended++;
      return;
    }
    if ((id & ~Message.MARKS) != due) {
      throw Message.broken(due, id);
    }
    if ((id & Message.STAMPED) != 0) {
      samples.add(taker.sentNs(id, at), now);
      samples.readClock(1);
    }
    if ((id & Message.MARKS) != 0) {
      samples.progress(taken + at - (ended - endedBefore));
    }
    if (isLoaded && !messages.isWhole(at)) {
      throw Message.torn(id);
    }
    chain = Work.steps(work, chain);
    due += Message.STEP;
  }

  private void turnTo(int producer) {
    sequence = gating.sequence(index, producer);
    due = Message.id(producer, Words.get(sequence));
  }

  private void publishSequence() {
    Words.setRelease(sequence, Message.number(due));
  }
}
