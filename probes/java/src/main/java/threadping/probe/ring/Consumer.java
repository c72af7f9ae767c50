package threadping.probe.ring;

import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.Failure;
import threadping.probe.crew.Recorder;
import threadping.probe.crew.Timings;

/**
 * A consumer on one line. Made with room around it: it alone writes here.
 *
 * <p>Of the producer whose message came last the id due is at hand, so that as long as one alone
 * sends, or sends a batch, a message costs one comparison. The others' are in {@link #next}.
 */
final class Consumer {
  private final MessageQueue queue;
  private final Outlet outlet;
  private final int size;
  private final boolean isLoaded;

  /** How many messages came at once. */
  private final Recorder takes;

  /** Of each producer the id that is due ... */
  private final long[] next;

  /** ... and for others to see, after each take. */
  private final AtomicLong[] taken;

  /** The place of the next message. */
  private long place;

  /** Whose message came last. */
  private int producer;

  /** What is due of it; {@link #next} is behind. */
  private long due;

  /** How many producers have left in this visit. */
  private int ends;

  /** One of a shape's consumers; for each producer there is one to tell what was taken by. */
  Consumer(MessageQueue queue, int number, Shape shape, AtomicLong[] taken, Recorder takes) {
    this.queue = queue;
    this.outlet = queue.outlet(number);
    this.size = shape.size;
    this.isLoaded = shape.payload > 0;
    this.takes = takes;
    this.taken = taken;
    this.next = new long[shape.producers];
    java.util.Arrays.setAll(next, Message::first);
    this.due = next[0];
  }

  /** Takes at least so many messages, unless all producers leave or it is stopped. */
  int take(int count) {
    int done = 0;
    while (done < count && goesOn()) {
      done += takeOnce(size, null);
    }
    return done;
  }

  /** The same until one is timed, and times those that are stamped, at most so many. */
  int take(Timings timings, int room) {
    int most = Math.min(size, room);
    int done = 0;
    while (timings.size() == 0 && goesOn()) {
      done += takeOnce(most, timings);
    }
    return done;
  }

  /** Takes what still comes until all producers have left. */
  void leave() {
    while (goesOn()) {
      takeAll(size, null);
    }
    ends = 0;
  }

  private boolean goesOn() {
    return ends < next.length && !queue.isStopped();
  }

  private int takeOnce(int most, Timings timings) {
    int done = takeAll(most, timings);
    if (done > 0) {
      takes.record(done);
    }
    return done;
  }

  /** Waits until there is something, and takes all of that, or so many; ends do not count. */
  private int takeAll(int most, Timings timings) {
    Outlet from = outlet;
    long at = place;
    long last = from.await(at);
    if (last < at) {
      return 0;
    }
    long first = at;
    int before = ends;
    long limit = first + most - 1;
    long expected = due;
    do {
      long end = Math.min(last, limit);
      while (at <= end) {
        long asDue =
            isLoaded ? wholeAsDue(from, at, end, expected) : asDue(from, at, end, expected);
        expected += Message.STEP * asDue;
        at += asDue;
        if (at <= end) {
          expected = takeOther(from.at(at), expected, timings);
          at++;
        }
      }
    } while (at <= limit && (last = from.more(at)) >= at);
    from.release(at);
    due = expected;
    tell(producer, expected);
    place = at;
    return (int) (at - first) - (ends - before);
  }

  /**
   * How many from here on are those that are due. A loop of its own, in which nothing is called:
   * otherwise the virtual machine would read all that it needs of the ring again for each message.
   */
  private static long asDue(Outlet from, long first, long last, long expected) {
    long at = first;
    for (long id = expected; at <= last && from.at(at).id == id; at++) {
      id += Message.STEP;
    }
    return at - first;
  }

  /** The same of messages that carry words, which must be whole. */
  private static long wholeAsDue(Outlet from, long first, long last, long expected) {
    long at = first;
    for (long id = expected; at <= last && from.at(at).id == id; at++) {
      refuseTorn(from.at(at));
      id += Message.STEP;
    }
    return at - first;
  }

  private static void refuseTorn(Message message) {
    if (!message.isWhole()) {
      throw torn(message.id);
    }
  }

  /**
   * One that is stamped, of another producer, the last of one, or wrong. Returns what is then due
   * of its producer.
   */
  private long takeOther(Message message, long expected, Timings timings) {
    long id = message.id;
    if (isLoaded) {
      refuseTorn(message);
    }
    boolean isStamped = (id & Message.STAMPED) != 0;
    long now = isStamped && timings != null ? System.nanoTime() : 0;
    long wanted = expected;
    if (Message.producer(id) != producer) {
      tell(producer, expected);
      wanted = turnTo(id, expected);
    }
    if (Message.isEnd(id)) {
      ends++;
      return wanted;
    }
    if ((id & ~Message.STAMPED) != wanted) {
      throw broken(wanted, id);
    }
    if (now != 0) {
      timings.add(message.stampNs(now), now);
    }
    return wanted + Message.STEP;
  }

  /** From one producer to that of this id, of which it returns what is due. */
  private long turnTo(long id, long expected) {
    int other = Message.producer(id);
    if (other >= next.length) {
      throw broken(expected, id);
    }
    producer = other;
    return next[other];
  }

  /** Before the next take, or the next message of another. */
  private void tell(int of, long expected) {
    next[of] = expected;
    taken[of].setRelease(expected);
  }

  private static Failure broken(long wanted, long id) {
    long number = Message.number(id);
    int producer = Message.producer(id);
    boolean isForeign = producer != Message.producer(wanted);
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d was due, but %,d%s came: one was lost, doubled or overtaken.",
        Message.number(wanted),
        Message.producer(wanted),
        number,
        isForeign ? String.format(" of producer %d", producer) : "");
  }

  private static Failure torn(long id) {
    return Failure.Code.SEQUENCE_BROKEN.failure(
        "Message %,d of producer %,d came with words of another: it was torn, or overwritten while"
            + " it was read.",
        Message.number(id), Message.producer(id));
  }

  /** When all have ended: of all producers. */
  long taken() {
    long all = 0;
    for (long each : next) {
      all += Message.number(each);
    }
    return all;
  }
}
