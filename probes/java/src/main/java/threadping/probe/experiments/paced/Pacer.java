package threadping.probe.experiments.paced;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Sender;
import threadping.probe.platform.IdleStates;
import threadping.probe.platform.LinePair;
import threadping.probe.waits.Wait;

/**
 * The sender: waits until a message is due, by reading the clock, and sends it. It skips none: one
 * that it comes to late it sends at once, and the message stays due when it was.
 */
final class Pacer extends LinePair implements Player {
  /**
   * So many messages at most, so far apart and in so long a time, come before the schedule begins:
   * of a slow one it takes seconds until all that is timed is compiled.
   */
  private static final int FIRST = 20_000;

  private static final double FIRST_GAP_NS = 1_000;
  private static final long FIRST_NS = 100_000_000;

  /** After so long a wait it looks at its orders, if the message is not due for as long again. */
  private static final long STRETCH_NS = 10_000_000;

  /** To look at the idle states takes less than half of it. */
  private static final long IDLE_LOOK_NS = 20_000;

  /** One that sleeps wakes so long before a message is due, and spins. */
  private static final long MARGIN_NS = 100_000;

  /** One that sleeps looks so often for room. */
  private static final long MOMENT_NS = 50_000;

  private final Queue queue;
  private final Sender sender;
  private final Slots slots;
  private final int size;
  private final LongFunction<Schedule> plan;
  private final Wait wait;
  private final boolean sleeps;
  private final int mostInARun;
  private final Supplier<IdleStates> idleStates;
  private Schedule schedule;

  /** Of the receiver's CPU, where they are looked at and the kernel tells; or null. */
  private IdleStates idle;

  /** Of its next message. */
  private long number;

  private long due;

  /** From the message before. */
  private long gap;

  /** Of the one after it. */
  private long nextDue;

  /** What the receiver has taken, as far as it knows. */
  private long taken;

  /**
   * {@code plan} makes the schedule that begins at a time. What it does between two looks, at the
   * clock or for room, unless it sleeps, is {@code wait}.
   */
  Pacer(
      Queue queue,
      Slots slots,
      int size,
      LongFunction<Schedule> plan,
      Schedule.Bounds bounds,
      Wait wait,
      boolean sleeps,
      Supplier<IdleStates> idleStates) {
    this.queue = queue;
    this.sender = queue.sender(0);
    this.slots = slots;
    this.size = size;
    this.plan = plan;
    this.mostInARun = bounds.run();
    this.wait = wait;
    this.sleeps = sleeps;
    this.idleStates = idleStates;
  }

  /** It looks into nothing: it would be late. */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    samples.othersWait(true);
    int done = schedule == null ? begin(samples) : 0;
    int most = Math.min(task.count(), mostInARun);
    while (done < most && !queue.isStopped() && send(samples)) {
      done++;
    }
    return done;
  }

  private int begin(Samples samples) throws InterruptedException {
    long start = System.nanoTime();
    follow(new Schedule(FIRST_GAP_NS, start), start);
    int done = 0;
    while (done < FIRST && System.nanoTime() - start < FIRST_NS && send(samples)) {
      done++;
    }
    idle = idleStates.get();
    start = System.nanoTime();
    follow(plan.apply(start), start);
    return done;
  }

  private void follow(Schedule next, long startNs) {
    schedule = next;
    due = next.next();
    gap = due - startNs;
    nextDue = next.next();
  }

  /** False if it was stopped, or the message is not due for long. */
  private boolean send(Samples samples) throws InterruptedException {
    long n = number;
    if (n - taken >= size && !awaitRoom(n)) {
      return false;
    }
    slots.announce(n, due, gap, nextDue);
    boolean hasLooked = false;
    long now;
    if (idle != null) {
      now = await(due - IDLE_LOOK_NS);
      if (now - (due - IDLE_LOOK_NS) < 0) {
        return false;
      }
      hasLooked = now + IDLE_LOOK_NS / 2 - due < 0;
      if (hasLooked) {
        idle.look(); // a state that the CPU left earlier is not the one that the message finds
      }
    }
    now = await(due);
    if (now - due < 0) {
      return false;
    }
    slots.stamp(n, now);
    if (!sender.send(Message.STEP * n, 1)) {
      return false;
    }
    number = n + 1;
    long before = gap;
    gap = nextDue - due;
    due = nextDue;
    nextDue = schedule.next();
    if (hasLooked) {
      lookAfter(before, samples);
    }
    return true;
  }

  /** A receiver that has taken the message has left the state in which that found it. */
  private void lookAfter(long gapNs, Samples samples) {
    while (slots.taken() < number && System.nanoTime() + IDLE_LOOK_NS - due < 0) {
      Thread.onSpinWait();
    }
    if (slots.taken() >= number) {
      samples.number(Receiver.partOf(gapNs), idle.look());
    }
  }

  /** Until fewer than fit are in flight: what it waits for that is its own lateness. */
  private boolean awaitRoom(long n) {
    long state = wait.start();
    while (n - (taken = slots.taken()) >= size) {
      if (queue.isStopped()) {
        return false;
      }
      state = idle(state, MARGIN_NS + MOMENT_NS);
    }
    return true;
  }

  /** The first reading of the clock that says that it is, or that a stretch is over. */
  private long await(long until) {
    long now = System.nanoTime();
    long end = now + STRETCH_NS;
    long state = wait.start();
    while (now - until < 0 && (now - end < 0 || until - now < STRETCH_NS)) {
      state = idle(state, until - now);
      now = System.nanoTime();
    }
    return now;
  }

  /** For so long at most. */
  private long idle(long state, long ns) {
    if (!sleeps || ns <= MARGIN_NS) {
      return wait.again(state);
    }
    LockSupport.parkNanos(Math.min(ns - MARGIN_NS, STRETCH_NS));
    return state;
  }

  /** One message more, which is none. */
  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    slots.tellEnd(number);
    sender.send(Message.STEP * number, 1);
    return 0;
  }
}
