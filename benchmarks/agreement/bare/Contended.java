import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Two threads that take a lock, add one and release it, or add one atomically, with nothing around
 * it but a look at a flag after each 512: the published loop ("Biased Locking, OSR, and
 * Benchmarking Fun", 2011).
 *
 * <p>{@code Contended MECHANISM CPU OTHER_CPU MILLISECONDS} prints what an operation takes, both
 * threads together, after as long a warm-up.
 */
final class Contended {
  private static final int CHUNK = 512;

  private static volatile int phase;

  /** Padding: a counter shares its cache line with nothing that a thread reads. */
  abstract static class Padding {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, before10, before11, before12, before13, before14, before15;
  }

  /** A process loads one subclass only. */
  abstract static class Counter extends Padding {
    long count;
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, after10, after11, after12, after13, after14, after15;

    abstract void add();
  }

  static final class Monitor extends Counter {
    @Override
    void add() {
      synchronized (this) {
        count++;
      }
    }
  }

  static final class Reentrant extends Counter {
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    void add() {
      lock.lock();
      count++;
      lock.unlock();
    }
  }

  static final class GetAndAdd extends Counter {
    private static final VarHandle COUNT;

    static {
      try {
        COUNT = MethodHandles.lookup().findVarHandle(Counter.class, "count", long.class);
      } catch (ReflectiveOperationException impossible) {
        throw new ExceptionInInitializerError(impossible);
      }
    }

    @Override
    void add() {
      if ((long) COUNT.getAndAdd((Counter) this, 1L) < 0) {
        throw new ArithmeticException("The counter has overflowed.");
      }
    }
  }

  private static Supplier<Counter> counterOf(String mechanism) {
    switch (mechanism) {
      case "monitor":
        return Monitor::new;
      case "reentrant-lock":
        return Reentrant::new;
      case "get-and-add":
        return GetAndAdd::new;
      default:
        throw new IllegalArgumentException("No mechanism " + mechanism + " here.");
    }
  }

  private static void add(Counter counter, int count) {
    for (int left = count; left > 0; left--) {
      counter.add();
    }
  }

  /** Returns the operations of the phase that counts. */
  private static long work(Counter counter) {
    long done = 0;
    int now;
    while ((now = phase) < 2) {
      add(counter, CHUNK);
      done += now == 1 ? CHUNK : 0;
    }
    return done;
  }

  public static void main(String[] words) throws InterruptedException {
    Counter counter = counterOf(words[0]).get();
    long milliseconds = Long.parseLong(words[3]);
    long[] done = new long[2];
    Thread[] threads = new Thread[2];
    for (int index = 0; index < 2; index++) {
      int own = index;
      threads[own] =
          new Thread(
              () -> {
                Program.pinThisThread(words[1 + own]);
                done[own] = work(counter);
              });
      threads[own].start();
    }
    Thread.sleep(milliseconds);
    long start = System.nanoTime();
    phase = 1;
    Thread.sleep(milliseconds);
    long took = System.nanoTime() - start;
    phase = 2;
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.printf(Locale.ROOT, "operation ns: %.4f%n", took / (double) (done[0] + done[1]));
  }
}
