package threadping.probe.lock.mechanisms;

import java.util.concurrent.locks.StampedLock;
import threadping.probe.platform.Fillers;

/**
 * StampedLock's write lock, which knows no owner and cannot be taken twice; the stamp that it gives
 * is handed back. The write that must be seen is the count; the lock's state orders it.
 */
final class Stamped extends Locking {
  Stamped() {
    super(
        "stamped-lock",
        "java.util.concurrent's StampedLock around the increment, taken for writing.",
        "A waiting thread spins a little, then sleeps; made for readers, of whom there are none"
            + " here.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, Stamped::cell);
  }

  private static Cell cell(Fillers fillers) {
    StampedLock lock = fillers.apart(StampedLock::new);
    return fillers.apart(() -> new Locked(lock));
  }

  private static final class Locked extends Guarded {
    private final StampedLock lock;

    Locked(StampedLock lock) {
      this.lock = lock;
    }

    @Override
    long acquire() {
      return lock.writeLock();
    }

    @Override
    void release(long stamp) {
      lock.unlockWrite(stamp);
    }
  }
}
