package threadping.probe.own;

import static threadping.probe.Failure.Code.INTERNAL;
import static threadping.probe.Failure.Code.STALLED;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import threadping.probe.Failure;

/**
 * Threads that try a user's object together, without keeping the process alive; and the method that
 * one of them executes.
 */
final class Crew {
  /** What one of them does. */
  interface Act {
    void act() throws Exception;
  }

  /** What is tried in a row, ... */
  static final int MANY = 20_000;

  /** ... and with a pause after each, so that a thread that waits for the next one is asleep. */
  static final int ONE_BY_ONE = 200;

  static final long PAUSE_NS = 100_000;

  /** Maximum time that one of them acts, where the object is slow. */
  private static final long LONGEST_NS = 1_000_000_000L;

  /** Whose methods are looked for on a stack: its own, and those that it inherits. */
  private final Class<?> type;

  private final Set<String> names = new HashSet<>();

  /** Maximum time without progress. */
  private final long patienceNs;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong moves = new AtomicLong();
  private final long begunNs = System.nanoTime();
  private volatile Throwable thrown;

  Crew(Class<?> type, long patienceNs) {
    this.type = type;
    this.patienceNs = patienceNs;
    addNames(type);
  }

  private void addNames(Class<?> one) {
    if (one != null && one != Object.class && names.add(one.getName())) {
      addNames(one.getSuperclass());
      Stream.of(one.getInterfaces()).forEach(this::addNames);
    }
  }

  /** Starts the next one. */
  void start(Act act) {
    Thread thread = new Thread(() -> actOrThrow(act), "own");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void actOrThrow(Act act) {
    try {
      act.act();
    } catch (Throwable error) {
      thrown = error;
    }
  }

  /** One of them has come further. */
  void move() {
    moves.getAndIncrement();
  }

  /** Whether one that has done so much is to go on. */
  boolean isToGoOn(long done, long most) {
    return done < most && System.nanoTime() - begunNs < LONGEST_NS;
  }

  /**
   * What one does again and again, up to a maximum; with a pause after a number of them have
   * arrived.
   */
  void repeat(int most, long pauseNs, Act act, LongSupplier arrived) throws Exception {
    for (long done = 1; isToGoOn(done - 1, most); done++) {
      act.act();
      move();
      while (pauseNs > 0 && arrived.getAsLong() < done && thrown == null) {
        Thread.yield();
      }
      if (pauseNs > 0) {
        sleep(pauseNs);
      }
    }
  }

  /**
   * Has {@code stop}, called again and again by one more, end the wait of the first one, which is
   * the only one, in this place. Throws Failure where it does not.
   */
  void endWait(String place, Act stop) {
    sleep(10 * PAUSE_NS);
    Thread waiting = threads.get(0);
    AtomicBoolean hasStopped = new AtomicBoolean();
    start(
        () -> {
          while (waiting.isAlive()) {
            stop.act();
            hasStopped.set(true);
            sleep(1_000_000);
          }
        });
    if (end()) {
      return;
    }
    if (hasStopped.get() && waiting.isAlive()) {
      throw STALLED.failure(
          "stop() does not end a wait%s: %s had not returned after %s.",
          place, named(standsIn(0)), patience());
    }
    throw hangs(standsIn(1), "it hangs");
  }

  /** Waits until all have ended; false where nothing moves any more. Throws what one threw. */
  boolean end() {
    long last = -1;
    long since = System.nanoTime();
    while (thrown == null && threads.stream().anyMatch(Thread::isAlive)) {
      long now = moves.get();
      if (now != last) {
        last = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > patienceNs) {
        return false;
      }
      sleep(1_000_000);
    }
    if (thrown != null) {
      throw thrown instanceof Failure failure ? failure : threw(thrown);
    }
    return true;
  }

  private Failure threw(Throwable error) {
    return INTERNAL.failure(error, "%s threw %s.", named(method(error.getStackTrace())), error);
  }

  /** What this method of the object, or null, does by its not returning. */
  Failure hangs(String method, String why) {
    return STALLED.failure("%s had not returned after %s: %s.", named(method), patience(), why);
  }

  private String named(String method) {
    return method == null ? type.getName() : method;
  }

  /** The object's method that this thread, by its number, executes; null where none. */
  String standsIn(int thread) {
    return method(threads.get(thread).getStackTrace());
  }

  /** The outermost, which is the one that was called. */
  private String method(StackTraceElement[] stack) {
    return Stream.of(stack)
        .filter(frame -> names.contains(frame.getClassName()))
        .reduce((inner, outer) -> outer)
        .map(frame -> type.getSimpleName() + "." + frame.getMethodName())
        .orElse(null);
  }

  String patience() {
    return TimeUnit.NANOSECONDS.toMillis(patienceNs) / 1e3 + " s";
  }

  static void sleep(long ns) {
    try {
      TimeUnit.NANOSECONDS.sleep(ns);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
