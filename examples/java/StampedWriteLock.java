import java.util.concurrent.locks.StampedLock;

/** StampedLock's write lock, which is no Lock by itself. */
public final class StampedWriteLock implements threadping.Lock {
  private final StampedLock lock = new StampedLock();

  public long acquire() { return lock.writeLock(); }
  public void release(long stamp) { lock.unlockWrite(stamp); }
}
