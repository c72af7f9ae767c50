package threadping.probe.own;

import static threadping.probe.Failure.Code.INTERNAL;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import threadping.probe.Failure;

/**
 * Threads that try a user's object together, none of which keeps the process alive; and how it is
 * seen where one of them stands.
 */
final class Crew {
  /** What one of them does. */
  interface Act {
    void act() throws Exception;
  }

  /** So long one of them acts at most, where the object is slow. */
  private static final long LONGEST_NS = 1_000_000_000L;

  /** Whose methods are looked for on a stack: those of the class, and those that it inherits. */
  private final Class<?> type;

  private final Set<String> names = new HashSet<>();

  /** So long nothing may move. */
  private final long patienceNs;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong moves = new AtomicLong();
  private final long begunNs = System.nanoTime();
  private volatile Throwable thrown;

  Crew(Class<?> type, long patienceNs) {
    this.type = type;
    for (Class<?> one = type; one != Object.class; one = one.getSuperclass()) {
      names.add(one.getName());
    }
    this.patienceNs = patienceNs;
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

  /** Waits until all have ended; false where nothing moves any more. Throws what one threw. */
  boolean end() {
    return endBy(() -> {});
  }

  /** The same; {@code stop} is called again and again meanwhile. */
  boolean endBy(Runnable stop) {
    long last = -1;
    long since = System.nanoTime();
    while (thrown == null && threads.stream().anyMatch(Thread::isAlive)) {
      stop.run();
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
    String method = method(error.getStackTrace());
    return INTERNAL.failure(error, "%s threw %s.", method == null ? type.getName() : method, error);
  }

  /** The method of the object in which this thread, by its number, stands; null where in none. */
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
