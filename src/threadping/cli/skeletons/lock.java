import java.util.concurrent.atomic.AtomicBoolean;

/** A lock for any number of threads. */
public final class MyLock implements threadping.Lock {
  private final AtomicBoolean held = new AtomicBoolean();

  /**
   * Waits until the lock is the calling thread's alone, and sees all that was written before the
   * last release. Gives what release is given: a stamp, or any number.
   */
  @Override
  public long acquire() {
    while (held.get() || !held.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
    return 0;
  }

  /** Gives the lock back. The thread that acquired it calls this. */
  @Override
  public void release(long stamp) {
    held.setRelease(false);
  }

  /** Whether a thread that waits sleeps. */
  @Override
  public boolean sleeps() {
    return false;
  }
}
