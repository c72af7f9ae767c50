package threadping.probe.lock.mechanisms;

import java.util.concurrent.locks.ReentrantLock;
import threadping.probe.platform.Fillers;

/**
 * The published explicit lock: ReentrantLock around the increment. Not fair: who comes by may take
 * the lock before those who sleep for it.
 *
 * <p>The write that must be seen is the count; the lock's own state orders it.
 */
class Reentrant extends Locking {
  private final boolean fair;

  Reentrant() {
    this(
        "reentrant-lock",
        "java.util.concurrent's ReentrantLock around the increment; who comes by may overtake those"
            + " who sleep.",
        "A waiting thread sleeps; a compare-and-swap and a store without contention.",
        false);
  }

  Reentrant(String name, String summary, String cpuCost, boolean fair) {
    super(name, summary, cpuCost);
    this.fair = fair;
  }

  @Override
  public final Cell[] cells(int count, int threads) {
    return inHeap(count, this::cell);
  }

  private Cell cell(Fillers fillers) {
    ReentrantLock lock = fillers.apart(() -> new ReentrantLock(fair));
    return fillers.apart(() -> new Locked(lock));
  }

  private static final class Locked extends Guarded {
    private final ReentrantLock lock;

    Locked(ReentrantLock lock) {
      this.lock = lock;
    }

    @Override
    long acquire() {
      lock.lock();
      return 0;
    }

    @Override
    void release(long stamp) {
      lock.unlock();
    }
  }
}
