package threadping.probe.experiments.load;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/**
 * The sender: waits until a message is due, by reading the clock, and sends it. It skips none: one
 * that it comes to late it sends at once, and the message stays due when it was.
 */
final class LoadSender extends LinePair implements Player {
  /**
   * Maximum number of messages before the schedule begins, their distance and their maximum time:
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

  /** How often one that sleeps polls for space. */
  private static final long MOMENT_NS = 50_000;

  private final Course course;
  private final Queue.Sender sender;

  /** What it does between two polls, of the clock or for space, unless it sleeps. */
  private final Wait wait;

  private Schedule schedule;

  /** When that started. */
  private long start;

  /** The address of the idle states of the receiver's CPU; 0 where they are not read. */
  private long idle;

  /** The number of its next message. */
  private long number;

  /** When the message before it was due, when it is, and when the one after it. */
  private long lastDue;

  private long due;
  private long nextDue;

  /** What the receiver has taken, as far as it knows. */
  private long taken;

  /** A virtual one that spins might leave the receiver no carrier: it yields. */
  LoadSender(Course course) {
    this.course = course;
    this.sender = course.queue.sender(0);
    this.wait = course.virtual ? Waits.yielding() : Waits.pausing();
  }

  /** It looks into nothing: it would be late. */
  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    samples.othersWait(true);
    int done = schedule == null ? begin(samples) : 0;
    int most = Math.min(task.count(), course.mostInARun);
    while (done < most && !course.queue.isStopped() && send(samples)) {
      done++;
    }
    return done;
  }

  private int begin(Samples samples) throws InterruptedException {
    follow(new Schedule(FIRST_GAP_NS));
    int done = 0;
    while (done < FIRST && System.nanoTime() - start < FIRST_NS && send(samples)) {
      done++;
    }
    idle = course.idleStates();
    follow(course.schedule);
    return done;
  }

  private void follow(Schedule next) {
    schedule = next;
    start = System.nanoTime();
    nextDue = start;
    advance();
    advance();
  }

  private void advance() {
    lastDue = due;
    due = nextDue;
    nextDue = start + schedule.next();
  }

  /** False if it was stopped, or the message is not due for long. */
  private boolean send(Samples samples) throws InterruptedException {
    long n = number;
    if (n - taken >= course.size && !awaitSpace(n)) {
      return false;
    }
    long note = course.note(n);
    Words.setRelease(note + Course.DUE, due);
    Words.setRelease(note + Course.GAP, due - lastDue);
    Words.setRelease(note + Course.NEXT_DUE, nextDue);
    boolean hasLooked = false;
    long now;
    if (idle != 0) {
      now = await(due - IDLE_LOOK_NS);
      if (now - (due - IDLE_LOOK_NS) < 0) {
        return false;
      }
      hasLooked = now + IDLE_LOOK_NS / 2 - due < 0;
      if (hasLooked) {
        Native.lookAtIdle(idle); // a state left earlier is not the one that the message finds
      }
    }
    now = await(due);
    if (now - due < 0) {
      return false;
    }
    Words.setRelease(note + Course.SENT, now);
    Words.setRelease(note, n + 1);
    if (!sender.send(Message.id(0, n), 1)) {
      return false;
    }
    number = n + 1;
    long lastGap = due - lastDue;
    advance();
    if (hasLooked) {
      lookAfter(lastGap, samples);
    }
    return true;
  }

  /** A receiver that has taken the message has left the state in which that found it. */
  private void lookAfter(long gapNs, Samples samples) {
    while (course.taken() < number && System.nanoTime() + IDLE_LOOK_NS - due < 0) {
      Thread.onSpinWait();
    }
    if (course.taken() >= number) {
      samples.number(LoadReceiver.partOf(gapNs), Native.lookAtIdle(idle));
    }
  }

  /** Until fewer than fit are in flight: what it waits for that is its own lateness. */
  private boolean awaitSpace(long n) {
    long state = wait.start();
    while (n - (taken = course.taken()) >= course.size) {
      if (course.queue.isStopped()) {
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
    if (!course.senderSleeps || ns <= MARGIN_NS) {
      return wait.again(state);
    }
    LockSupport.parkNanos(Math.min(ns - MARGIN_NS, STRETCH_NS));
    return state;
  }

  /** One message more, which is none. */
  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    course.publishEnd(number);
    sender.send(Message.id(0, number), 1);
    return 0;
  }
}
