package threadping.probe.experiments.ring;

import java.util.Arrays;
import threadping.probe.Failure;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.mechanisms.queues.Taker;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Words;

/**
 * A consumer: takes all that is there, again and again, and times what is stamped.
 *
 * <p>Of the producer whose message came last the id due is at hand, so that as long as one alone
 * sends, or sends a batch, a message costs one comparison. The others' are in {@link #next}.
 */
final class Consumer extends LinePair implements Player {
  private static final int BATCH = 0;

  private final Queue queue;
  private final Taker taker;
  private final int number;
  private final Books books;
  private final boolean isLoaded;
  private final int work;

  /** How far its work has come: the next step waits for the last one. */
  private long chain = 1;

  /** A take is no larger than what a queue holds. */
  private final int size;

  /** Whether producers wait for what it has taken: then they learn of whole takes only. */
  private final boolean tellsEachTake;

  /** Of each producer the id that is due. */
  private final long[] next;

  /** The place of the next message. */
  private long place;

  /**
   * In the midst of what it takes at once, which began there; the last place in which there is one.
   */
  private boolean isTaking;

  private long takeBegan;

  /** How many producers had left then: their last messages are none. */
  private int takeEnds;

  private long last = -1;

  /** Whose message came last. */
  private int producer;

  /** What is due of it; {@link #next} is behind. */
  private long due;

  /** How many producers have left. */
  private int ends;

  Consumer(Queue queue, int number, Shape shape, Books books) {
    this.queue = queue;
    this.taker = queue.taker(number);
    this.number = number;
    this.books = books;
    this.isLoaded = shape.payload() > 0;
    this.work = shape.work();
    this.size = shape.size();
    this.tellsEachTake = shape.inFlight() > 0;
    this.next = new long[shape.producers()];
    Arrays.setAll(next, Message::first);
    this.due = next[0];
  }

  /**
   * In throughput windows nothing comes stamped. A run may end in the midst of a take, with
   * messages that are there.
   */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    samples.othersWait(true);
    int done = take(task.count(), samples);
    boolean isFree = task.every() > 0 && !isTaking && taker.isEmpty(place);
    samples.othersWait(!isFree);
    return done;
  }

  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    return take(Integer.MAX_VALUE, samples);
  }

  private int take(int count, Samples samples) throws InterruptedException {
    int done = 0;
    while (done < count && ends < next.length && (isTaking || begin())) {
      done += goOn(count - done, samples);
    }
    if (!tellsEachTake) {
      tell();
    }
    return done;
  }

  /** Waits until there is something; false if it was stopped. */
  private boolean begin() throws InterruptedException {
    if (queue.isStopped()) {
      return false;
    }
    last = taker.await(place);
    takeBegan = place;
    takeEnds = ends;
    isTaking = last >= place;
    return isTaking;
  }

  /**
   * Takes all that is there, so many at most. Where nothing follows the last of them the take ends
   * with it: a producer that waits for its end must not add to it.
   */
  private int goOn(int most, Samples samples) {
    Taker from = taker;
    long at = place;
    long first = at;
    int before = ends;
    long end = at + most - 1;
    long present = last;
    long expected = due;
    while (true) {
      if (at > present && (at - takeBegan >= size || (present = from.more(at)) < at)) {
        isTaking = false;
        break;
      }
      if (at > end) {
        break;
      }
      long asDue = asDue(from, at, Math.min(present, end), expected);
      expected += Message.STEP * asDue;
      at += asDue;
      if (at <= present && at <= end) {
        expected = takeOther(from, at, expected, samples);
        at++;
      }
    }
    last = present;
    due = expected;
    place = at;
    if (!isTaking) {
      from.release(at);
      end(samples);
    }
    return (int) (at - first) - (ends - before);
  }

  private void end(Samples samples) {
    if (tellsEachTake) {
      tell();
    }
    long taken = place - takeBegan - (ends - takeEnds);
    if (taken > 0) {
      samples.number(BATCH, taken);
    }
  }

  private long asDue(Taker from, long first, long last, long expected) {
    return isLoaded || work > 0
        ? workedAsDue(from, first, last, expected)
        : bareAsDue(from, first, last, expected);
  }

  /**
   * How many from here on are those that are due. A loop of its own, in which nothing is called:
   * otherwise the virtual machine would read all that it needs of the ring again for each message.
   */
  private static long bareAsDue(Taker from, long first, long last, long expected) {
    long at = first;
    for (long id = expected; at <= last && from.id(at) == id; at++) {
      id += Message.STEP;
    }
    return at - first;
  }

  /** The same of messages that carry words, which must be whole, or with which is worked. */
  private long workedAsDue(Taker from, long first, long last, long expected) {
    boolean looks = isLoaded;
    int steps = work;
    long value = chain;
    long at = first;
    for (long id = expected; at <= last && from.id(at) == id; at++) {
      if (looks) {
        refuseTorn(from, at);
      }
      value = Work.steps(steps, value);
      id += Message.STEP;
    }
    chain = value;
    return at - first;
  }

  private static void refuseTorn(Taker from, long at) {
    if (!from.isWhole(at)) {
      throw torn(from.id(at));
    }
  }

  /**
   * One that is stamped, of another producer, the last of one, or wrong. Returns what is then due
   * of its producer.
   */
  private long takeOther(Taker from, long at, long expected, Samples samples) {
    long id = from.id(at);
    boolean isStamped = (id & Message.STAMPED) != 0;
    long now = isStamped ? System.nanoTime() : 0;
    long wanted = expected;
    if (Message.producer(id) != producer) {
      next[producer] = expected;
      wanted = turnTo(id, expected);
    }
    if (Message.isEnd(id)) {
      ends++;
      return wanted;
    }
    if ((id & ~Message.STAMPED) != wanted) {
      throw Message.broken(wanted, id);
    }
    if (isStamped) {
      long sentNs = from.sentNs(at);
      samples.add(sentNs == 0 ? books.sentNs(id) : sentNs, now);
      samples.readClock(1);
    }
    if (isLoaded) {
      refuseTorn(from, at);
    }
    chain = Work.steps(work, chain);
    return wanted + Message.STEP;
  }

  /** From one producer to that of this id, of which it returns what is due. */
  private long turnTo(long id, long expected) {
    int other = Message.producer(id);
    if (other >= next.length) {
      throw Message.broken(expected, id);
    }
    producer = other;
    return next[other];
  }

  /** What was taken of each producer. */
  private void tell() {
    next[producer] = due;
    for (int each = 0; each < next.length; each++) {
      Words.setRelease(books.taken(number, each), next[each]);
    }
  }

  private static Failure torn(long id) {
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d came with words of another: it was torn, or overwritten while"
            + " it was read.",
        Message.number(id), Message.producer(id));
  }

  /** When all have ended: of all producers. */
  long taken() {
    return Arrays.stream(next).map(Message::number).sum();
  }
}
