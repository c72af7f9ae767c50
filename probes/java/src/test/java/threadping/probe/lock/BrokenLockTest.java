package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static threadping.probe.Failures.assertFails;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.lock.mechanisms.LockMechanism;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.Meter;
import threadping.probe.platform.PlatformThreads;

/** Locks that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenLockTest {
  /** A lock with its counter, until something is changed. */
  private static class Sound implements Cell {
    final ReentrantLock lock = new ReentrantLock();
    long count;

    @Override
    public void perform(int thread, int critical) {
      lock.lock();
      count++;
      lock.unlock();
    }

    @Override
    public long performTimed(int thread, int critical) {
      perform(thread, critical);
      return 0;
    }

    @Override
    public long found() {
      return count;
    }
  }

  private static LockMechanism mechanismOf(Cell cell, MeasuringThreads threads) {
    return new LockMechanism("broken", "", "") {
      @Override
      public Cell[] cells(int count, int of) {
        return new Cell[] {cell};
      }

      @Override
      public MeasuringThreads threads() {
        return threads;
      }

      @Override
      public boolean blocking() {
        return true;
      }

      @Override
      public String timed() {
        return "wait for the lock";
      }
    };
  }

  private static LockResult run(Cell cell, MeasuringThreads threads) throws InterruptedException {
    Request request = Requests.lock("broken", null, null);
    request.lines = 1;
    request.boundNs = 400_000_000;
    return new Lock().run(request, List.of(mechanismOf(cell, threads)));
  }

  private static LockResult run(Cell cell) throws InterruptedException {
    return run(cell, new PlatformThreads());
  }

  @Test
  void soundOnePasses() throws Exception {
    LockResult result = run(new Sound());
    assertEquals(result.made, result.found);
  }

  /**
   * An increment that is read outside the lock: both threads begin with the value 0, whatever the
   * machine, so that the second to store its 1 stores nothing new.
   */
  private static final class OutsideTheLock extends Sound {
    private final CountDownLatch bothHaveRead = new CountDownLatch(2);
    private final ThreadLocal<Boolean> hasRaced = ThreadLocal.withInitial(() -> false);

    @Override
    public void perform(int thread, int critical) {
      if (hasRaced.get()) {
        super.perform(thread, critical);
        return;
      }
      hasRaced.set(true);
      long seen = count;
      bothHaveRead.countDown();
      try {
        bothHaveRead.await();
      } catch (InterruptedException impossible) {
        throw new IllegalStateException(impossible);
      }
      lock.lock();
      count = Math.max(count, seen + 1);
      lock.unlock();
    }
  }

  @Test
  void anIncrementOutsideTheLockIsMissed() {
    String sentence = assertFails(Failure.Code.COUNT_WRONG, () -> run(new OutsideTheLock()));
    assertEquals(
        "The counter holds 1 increment fewer than were made: the lock let them be lost.", sentence);
  }

  @Test
  void lostIncrementsAreToldByNumber() {
    Cell losing =
        new Sound() {
          private boolean isFirst = true;

          @Override
          public void perform(int thread, int critical) {
            super.perform(thread, critical);
            lock.lock();
            count -= isFirst ? 1234 : 0;
            isFirst = false;
            lock.unlock();
          }
        };
    assertEquals(
        "The counter holds 1,234 increments fewer than were made: the lock let them be lost.",
        assertFails(Failure.Code.COUNT_WRONG, () -> run(losing)));
  }

  @Test
  void oneTooManyIsToldToo() {
    Cell doubling =
        new Sound() {
          @Override
          public long found() {
            return super.found() + 1;
          }
        };
    assertEquals(
        "The counter holds 1 increment more than were made: the lock let some be doubled.",
        assertFails(Failure.Code.COUNT_WRONG, () -> run(doubling)));
  }

  @Test
  void aLockThatIsNotReleasedStalls() {
    Cell keeping =
        new Sound() {
          @Override
          public void perform(int thread, int critical) {
            lock.lock();
            count++;
          }
        };
    assertEquals(
        "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
        assertFails(Failure.Code.STALLED, () -> run(keeping)));
  }

  @Test
  void anExceptionEndsTheTrialThoughOthersWaitForTheLock() {
    Cell throwing =
        new Sound() {
          @Override
          public void perform(int thread, int critical) {
            lock.lock();
            throw new IllegalMonitorStateException("on purpose");
          }
        };
    Throwable error = assertThrows(IllegalStateException.class, () -> run(throwing));
    assertEquals(IllegalMonitorStateException.class, error.getCause().getClass());
  }

  /** Threads of which the system gives so many only. */
  private static final class FewThreads implements MeasuringThreads {
    private final MeasuringThreads real = new PlatformThreads();
    private final AtomicInteger left;
    final List<Thread> made = new ArrayList<>();

    FewThreads(int most) {
      left = new AtomicInteger(most);
    }

    @Override
    public Thread make(String role, Runnable turns) {
      Thread thread =
          new Thread(turns, role) {
            @Override
            public synchronized void start() {
              if (left.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              super.start();
            }
          };
      thread.setDaemon(true);
      made.add(thread);
      return thread;
    }

    @Override
    public List<Meter> meters(int threads) {
      return real.meters(threads);
    }
  }

  @Test
  void aThreadThatCannotBeStarted() {
    FewThreads threads = new FewThreads(1);
    assertEquals(
        "Only 1 of 2 threads could be started (unable to create native thread). The system's limit"
            + " on threads is in ulimit -u, the cgroup's pids.max or kernel.threads-max: ask for"
            + " fewer with --threads.",
        assertFails(Failure.Code.UNSUPPORTED, () -> run(new Sound(), threads)));
    assertEquals(Thread.State.TERMINATED, threads.made.get(0).getState());
  }
}
