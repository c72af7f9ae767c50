package threadping.probe.own;

import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import threadping.Lock;
import threadping.LongQueue;
import threadping.MessageQueue;
import threadping.Signal;
import threadping.probe.Failure;
import threadping.probe.experiments.signal.SignalExperiment;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.platform.Native;

/**
 * The same operations as an experiment's with nothing around them: two threads, two clock readings,
 * no orders, no windows, no end to look for. What a trial takes longer than this is what
 * threadping's own loop costs.
 */
public final class Bare {
  private static final int TURNS = 512;

  /** The default of {@code queue}. */
  private static final int SIZE = 1 << 16;

  private static final long FIRST = 1 << 10;

  /** A loop of this part of the time shows how many fill it. */
  private static final long SOON = 8;

  /** Time for a virtual machine to compile it. */
  private static final long WARM_UP_NS = 300_000_000;

  /** One that hangs is left to who started the process. */
  private static final long LONGEST_NS = 3_600_000_000_000L;

  private final OwnMechanism own;

  /** In the order of a trial's threads. */
  private final int[] cpus;

  Bare(OwnMechanism own, int... cpus) {
    this.own = own;
    this.cpus = cpus;
  }

  private interface Part {
    void perform() throws Exception;
  }

  /** Nanoseconds an operation, in a loop that takes about so long. */
  public double nsPerOperation(long targetNs) {
    return nsPerOperation(targetNs, WARM_UP_NS);
  }

  double nsPerOperation(long targetNs, long warmUpNs) {
    long begunNs = System.nanoTime();
    long count = FIRST;
    double ns = loop(count);
    while (ns * count * SOON < targetNs) {
      count *= 4;
      ns = Math.min(ns, loop(count)); // one that was disturbed suggests too few
    }
    while (System.nanoTime() - begunNs < warmUpNs) {
      ns = Math.min(ns, loop(count));
    }
    return loop(Math.max(count, (long) (targetNs / ns)));
  }

  private double loop(long count) {
    return switch (own.concept()) {
      case SIGNAL -> signal(count);
      case QUEUE -> queue(count);
      case LOCK -> lock(count);
    };
  }

  /** Times both at once, each on its CPU: from when both are ready until the first has ended. */
  private static long timedNs(int[] cpus, Part first, Part other) {
    CyclicBarrier ready = new CyclicBarrier(2);
    long[] ns = new long[1];
    Thread others =
        new Thread(
            () ->
                Bounded.call(
                    LONGEST_NS,
                    "A hand-written baseline",
                    () -> {
                      Native.pinThread(cpus[1]);
                      ready.await();
                      other.perform();
                      return null;
                    }));
    others.setDaemon(true);
    others.start();
    Bounded.call(
        LONGEST_NS,
        "A hand-written baseline",
        () -> {
          Native.pinThread(cpus[0]);
          ready.await();
          long fromNs = System.nanoTime();
          first.perform();
          ns[0] = System.nanoTime() - fromNs;
          return null;
        });
    try {
      others.join();
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
    return ns[0];
  }

  // ---- signals ----

  /** One way. Over as many lines as a trial has. */
  private double signal(long count) {
    int lines = own.sleeps() ? 1 : SignalExperiment.LINES;
    Signal[] toPong = new Signal[lines];
    Signal[] toPing = new Signal[lines];
    for (int line = 0; line < lines; line++) {
      toPong[line] = own.makeSignal();
      toPing[line] = own.makeSignal();
    }
    long visits = (count + TURNS - 1) / TURNS;
    Turns pings = Bare::ping;
    Turns pongs = Bare::pong;
    long ns =
        timedNs(
            cpus,
            () -> visit(pings, toPong, toPing, visits),
            () -> visit(pongs, toPong, toPing, visits));
    return ns / (2.0 * visits * TURNS);
  }

  /** What one of the two does on a line: turns from a number on. */
  private interface Turns {
    void take(Signal toPong, Signal toPing, long first) throws InterruptedException;
  }

  private static void visit(Turns turns, Signal[] toPong, Signal[] toPing, long visits)
      throws InterruptedException {
    for (long visit = 0; visit < visits; visit++) {
      int line = (int) (visit % toPong.length);
      turns.take(toPong[line], toPing[line], visit / toPong.length * 2 * TURNS);
    }
  }

  private static void ping(Signal toPong, Signal toPing, long first) throws InterruptedException {
    for (long number = first; number < first + 2 * TURNS; number += 2) {
      toPong.publish(number + 1);
      toPing.await(number + 2);
    }
  }

  private static void pong(Signal toPong, Signal toPing, long first) throws InterruptedException {
    for (long number = first; number < first + 2 * TURNS; number += 2) {
      toPong.await(number + 1);
      toPing.publish(number + 2);
    }
  }

  // ---- locks ----

  private static final class Counter {
    long count;
  }

  /** Runs one thread: with two, the lock's fairness would decide. */
  private double lock(long count) {
    Lock lock = own.makeLock();
    Counter counter = new Counter();
    return timedNs(cpus, () -> increment(lock, counter, count), () -> {}) / (double) count;
  }

  private static void increment(Lock lock, Counter counter, long count) {
    for (long left = count; left > 0; left--) {
      long stamp = lock.acquire();
      counter.count++;
      lock.release(stamp);
    }
  }

  // ---- queues ----

  private interface Sending {
    boolean send(long number) throws InterruptedException;
  }

  /** The number that was sent, or LongQueue.NONE. */
  private interface Taking {
    long take() throws InterruptedException;
  }

  private double queue(long count) {
    Object made = own.makeAny(SIZE);
    Message[] messages = new Message[2 * SIZE];
    Arrays.setAll(messages, each -> Message.with(0));
    Sending sending = sending(made, messages);
    Taking taking = taking(made);
    AtomicLong taken = own.hasCapacity() ? null : new AtomicLong();
    int[] takerFirst = {cpus[1], cpus[0]};
    long ns =
        timedNs(takerFirst, () -> take(taking, taken, count), () -> send(sending, taken, count));
    return ns / (double) count;
  }

  @SuppressWarnings("unchecked") // it takes whatever it is given
  private static Sending sending(Object made, Message... messages) {
    if (made instanceof LongQueue queue) {
      return queue::offer;
    }
    if (made instanceof MessageQueue<?> any) {
      MessageQueue<Message> queue = (MessageQueue<Message>) any;
      return number -> queue.offer(numbered(messages, number));
    }
    if (made instanceof BlockingQueue<?> any) {
      BlockingQueue<Message> queue = (BlockingQueue<Message>) any;
      return number -> {
        queue.put(numbered(messages, number));
        return true;
      };
    }
    java.util.Queue<Message> queue = (java.util.Queue<Message>) made;
    return number -> queue.offer(numbered(messages, number));
  }

  /** There are more than can be under way. */
  private static Message numbered(Message[] messages, long number) {
    Message message = messages[(int) number & messages.length - 1];
    message.id = number;
    return message;
  }

  /** What waits in its own way does where nothing was found. */
  @SuppressWarnings("unchecked")
  private Taking taking(Object made) {
    if (made instanceof LongQueue queue) {
      return queue::poll;
    }
    if (made instanceof MessageQueue<?> any) {
      MessageQueue<Message> queue = (MessageQueue<Message>) any;
      return own.sleeps()
          ? () -> number(queue.poll(), queue::take)
          : () -> number(queue.poll(), () -> null);
    }
    if (made instanceof BlockingQueue<?> any) {
      BlockingQueue<Message> queue = (BlockingQueue<Message>) any;
      return () -> number(queue.poll(), queue::take);
    }
    java.util.Queue<Message> queue = (java.util.Queue<Message>) made;
    return () -> number(queue.poll(), () -> null);
  }

  private interface Awaiting {
    Message await() throws InterruptedException;
  }

  private static long number(Message polled, Awaiting otherwise) throws InterruptedException {
    Message message = polled == null ? otherwise.await() : polled;
    return message == null ? LongQueue.NONE : message.id;
  }

  /** {@code taken} is of one that is never full: no more than its size are in flight. */
  private static void send(Sending sending, AtomicLong taken, long count)
      throws InterruptedException {
    long until = SIZE;
    for (long number = 0; number < count; number++) {
      while (taken != null && number >= until) {
        until = taken.getAcquire() + SIZE;
      }
      while (!sending.send(number)) {
        continue;
      }
    }
  }

  private static void take(Taking taking, AtomicLong taken, long count)
      throws InterruptedException {
    for (long due = 0; due < count; due++) {
      long number = taking.take();
      while (number == LongQueue.NONE) {
        number = taking.take();
      }
      if (number != due) {
        throw Failure.Code.SEQUENCE_BROKEN.failure(
            "Message %,d came in the hand-written baseline when %,d was due.", number, due);
      }
      if (taken != null) {
        taken.setRelease(due + 1);
      }
    }
  }
}
