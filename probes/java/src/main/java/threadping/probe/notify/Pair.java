package threadping.probe.notify;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.crew.Timings;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.platform.Fillers;

/**
 * A notifier and its waiter on one line. Who writes what:
 *
 * <pre>
 *   notifier: calls, the first unanswered one and its time --- bell.publish(news) --.
 *   waiter:   taken  <---------------------------------------- bell.await(known) <'
 * </pre>
 *
 * <p>The news that the bell carries is how many calls there were, and how often the notifier has
 * left: what the waiter finds at the end has come through the mechanism, and not past it.
 */
final class Pair {
  /** In the news the calls stand above how often the notifier has left: more than it ever does. */
  private static final int LEFT_BITS = 24;

  private static final long LEFT = (1L << LEFT_BITS) - 1;

  private final Signal bell;
  private final Notifier notifier;
  private final Waiter waiter;

  /** What the notifier writes. */
  private static final class Notifier {
    /** Stored before the bell is rung: a sign of life, and what a waiter looks at first. */
    final AtomicLong calls = new AtomicLong();

    long left;

    /** The number of the first call since the waiter had taken all, and when it began. */
    long firstCall;

    long firstNs;
    final byte[] buffer;

    Notifier(int bytes) {
      buffer = new byte[bytes];
    }
  }

  /** What the waiter writes. */
  private static final class Waiter {
    /** How many calls it has answered; the notifier looks at it. */
    final AtomicLong taken = new AtomicLong();

    /** The latest news that it has heard. */
    long known;

    /** How often it has left. */
    long left;

    /** How often it had to wait, and was woken. */
    long wakes;

    /** When it was woken last; 0 where it had not to wait. */
    long wokenNs;

    boolean wasStopped;
  }

  /** With a bell of its own, and a buffer of so many bytes; all of it apart. */
  Pair(Signal bell, int bytes, Fillers fillers) {
    this.bell = bell;
    this.notifier = fillers.apart(() -> new Notifier(bytes));
    this.waiter = fillers.apart(Waiter::new);
  }

  // ---- the notifier ----

  /** What a notifier does before it calls. */
  void fill() {
    Arrays.fill(notifier.buffer, (byte) notifier.calls.getPlain());
  }

  void call() {
    call(notifier.calls.getPlain() + 1);
  }

  /**
   * Calls, and times it. Of several calls before the waiter has come the first has woken it, and a
   * wake-up is as long as from there: so the time of a later one is not kept. Whether all were
   * taken is looked up before the clock is read, since that costs a cache miss.
   */
  void call(Timings timings, int operation) {
    long call = notifier.calls.getPlain() + 1;
    boolean isFirst = waiter.taken.getAcquire() == call - 1;
    long from = System.nanoTime();
    if (isFirst) {
      notifier.firstCall = call;
      notifier.firstNs = from;
    }
    call(call);
    timings.set(operation, from, System.nanoTime());
  }

  private void call(long call) {
    notifier.calls.setRelease(call);
    publish(news(call, notifier.left));
  }

  private void publish(long news) {
    try {
      bell.publish(news);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
    }
  }

  void notifierLeaves() {
    notifier.left++;
    publish(news(notifier.calls.getPlain(), notifier.left));
  }

  // ---- the waiter ----

  /** Waits for a call, and takes all that came; false if the notifier left instead, or a stop. */
  boolean answer() {
    if (!await(false)) {
      return false;
    }
    take();
    return true;
  }

  /**
   * The same, and times it; left out if there was nothing to wait for, or nobody timed the call.
   */
  boolean answer(Timings timings, int operation) {
    if (!await(true)) {
      return false;
    }
    boolean isTimed = notifier.firstCall == waiter.taken.getPlain() + 1;
    if (isTimed && notifier.firstNs <= waiter.wokenNs) {
      timings.set(operation, notifier.firstNs, waiter.wokenNs);
    } else {
      timings.leaveOut(operation);
    }
    take(); // and not before: the notifier keeps another time from then on
    return true;
  }

  private boolean await(boolean isTimed) {
    Waiter own = waiter;
    long taken = own.taken.getPlain();
    boolean hasToWait = notifier.calls.getAcquire() == taken;
    own.wokenNs = 0;
    while (calls(own.known) == taken) {
      if (left(own.known) != own.left) {
        return false;
      }
      long news = news();
      long now = isTimed ? System.nanoTime() : 0;
      if (!hear(news)) {
        return false;
      }
      own.wokenNs = hasToWait ? now : 0;
    }
    own.wakes += hasToWait ? 1 : 0;
    return true;
  }

  /** Later news than is known. */
  private long news() {
    try {
      return bell.await(waiter.known + 1);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
    }
  }

  /** False if it is no news, but a stop. */
  private boolean hear(long news) {
    if (news >= Signal.STOPPED) {
      waiter.wasStopped = true;
      return false;
    }
    waiter.known = news;
    return true;
  }

  private void take() {
    waiter.taken.setRelease(calls(waiter.known));
  }

  /** Takes what comes until the notifier has left too: it calls once more, or is just calling. */
  void waiterLeaves() {
    while (left(waiter.known) == waiter.left) {
      if (!hear(news())) {
        return;
      }
    }
    waiter.left = left(waiter.known);
    take();
  }

  // ---- whoever watches over both ----

  void stop() {
    bell.stop();
  }

  /** Exact when both have ended; a sign of life before. */
  long calls() {
    return notifier.calls.get();
  }

  /** How many of them the waiter has seen, when both have ended. */
  long taken() {
    return waiter.taken.get();
  }

  /** How often the waiter had to wait and was woken, when both have ended. */
  long wakes() {
    return waiter.wakes;
  }

  boolean wasStopped() {
    return waiter.wasStopped;
  }

  // ---- news ----

  private static long news(long calls, long left) {
    return calls << LEFT_BITS | left;
  }

  private static long calls(long news) {
    return news >>> LEFT_BITS;
  }

  private static long left(long news) {
    return news & LEFT;
  }
}
