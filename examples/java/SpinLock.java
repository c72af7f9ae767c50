import java.util.concurrent.atomic.AtomicBoolean;

/** A waiting thread polls until the lock is free, and only then tries to take it. */
public final class SpinLock implements threadping.Lock {
  private final AtomicBoolean held = new AtomicBoolean();

  public long acquire() {
    while (held.get() || !held.compareAndSet(false, true)) Thread.onSpinWait();
    return 0;
  }
  public void release(long stamp) { held.setRelease(false); }
  public boolean sleeps() { return false; }
}
