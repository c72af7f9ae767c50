package threadping.probe.mechanisms.locks;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** The locks that readers and writers use. */
final class Guards {
  private Guards() {}

  static Guard reentrant(boolean isFair) {
    Lock lock = new ReentrantLock(isFair);
    return new Both(lock, lock);
  }

  /** Fair: a reader waits if a writer waits before it. */
  static Both readWrite(boolean isFair) {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock(isFair);
    return new Both(lock.writeLock(), lock.readLock());
  }

  /** Locks for writers and for readers: one lock twice where readers are alone too. */
  static final class Both implements Guard.Taken {
    private final Lock write;
    private final Lock read;

    Both(Lock write, Lock read) {
      this.write = write;
      this.read = read;
    }

    @Override
    public long acquire() {
      write.lock();
      return 0;
    }

    @Override
    public void release(long stamp) {
      write.unlock();
    }

    @Override
    public long acquireShared() {
      read.lock();
      return 0;
    }

    @Override
    public void releaseShared(long stamp) {
      read.unlock();
    }
  }

  /** The object's own monitor. */
  static final class Monitor implements Guard {
    @Override
    public synchronized void write(Pair pair, Visit visit) {
      pair.countBoth(visit);
    }

    @Override
    public synchronized boolean read(Pair pair, Visit visit) {
      return pair.differ(visit);
    }
  }

  /** A Semaphore with one permit. */
  static final class Permit implements Guard.Taken {
    private final Semaphore permit = new Semaphore(1);

    @Override
    public long acquire() {
      permit.acquireUninterruptibly();
      return 0;
    }

    @Override
    public void release(long stamp) {
      permit.release();
    }
  }

  /** StampedLock's write lock, and its read lock. */
  static class Stamped implements Guard.Taken {
    final StampedLock lock = new StampedLock();

    @Override
    public long acquire() {
      return lock.writeLock();
    }

    @Override
    public void release(long stamp) {
      lock.unlockWrite(stamp);
    }

    @Override
    public long acquireShared() {
      return lock.readLock();
    }

    @Override
    public void releaseShared(long stamp) {
      lock.unlockRead(stamp);
    }
  }

  /**
   * The read of StampedLock's own documentation: look, validate, and take the read lock if a writer
   * came in between.
   */
  static final class Optimistic extends Stamped {
    @Override
    public boolean read(Pair pair, Visit visit) {
      long stamp = lock.tryOptimisticRead();
      if (stamp != 0) {
        boolean torn = pair.differ(visit);
        if (lock.validate(stamp)) {
          return torn;
        }
      }
      return super.read(pair, visit);
    }
  }
}
