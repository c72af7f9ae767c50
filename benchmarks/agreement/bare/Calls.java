import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A thread that wakes another by a lock and a condition, with nothing around it: fills a buffer,
 * times the call, and pauses; the other waits, and pauses (after "Notify... oh, wait! I have a
 * signal", 2015).
 *
 * <p>{@code Calls condition NOTIFIER_CPU WAITER_CPU CALLS} prints the median duration of a call,
 * one clock reading in it, after as many that are not timed.
 */
final class Calls {
  private static final int BUFFER = 4096;
  private static final long PAUSE_NS = 1_000_000;
  private static final long WAITER_PAUSE_NS = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition called = lock.newCondition();
  private long calls;

  private void call() {
    lock.lock();
    try {
      calls++;
      called.signal();
    } finally {
      lock.unlock();
    }
  }

  private void awaitCalls(long all) throws InterruptedException {
    for (long taken = 0; taken < all; ) {
      LockSupport.parkNanos(WAITER_PAUSE_NS);
      lock.lock();
      try {
        while (calls == taken) {
          called.await();
        }
        taken = calls;
      } finally {
        lock.unlock();
      }
    }
  }

  public static void main(String[] words) throws InterruptedException {
    if (!words[0].equals("condition")) {
      throw new IllegalArgumentException("No mechanism " + words[0] + " here.");
    }
    int timed = Integer.parseInt(words[3]);
    int all = 2 * timed;
    Calls pair = new Calls();
    Thread waiter =
        new Thread(
            () -> {
              Program.pinThisThread(words[2]);
              try {
                pair.awaitCalls(all);
              } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
              }
            });
    waiter.start();
    Program.pinThisThread(words[1]);
    byte[] buffer = new byte[BUFFER];
    long[] took = new long[all];
    for (int call = 0; call < all; call++) {
      LockSupport.parkNanos(PAUSE_NS);
      Arrays.fill(buffer, (byte) call);
      long from = System.nanoTime();
      pair.call();
      took[call] = System.nanoTime() - from;
    }
    waiter.join();
    Arrays.sort(took, timed, all);
    System.out.printf(Locale.ROOT, "operation ns: %d.0%n", took[timed + timed / 2]);
  }
}
