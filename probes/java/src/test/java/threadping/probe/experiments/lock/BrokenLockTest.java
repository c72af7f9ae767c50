package threadping.probe.experiments.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.locks.Cell;
import threadping.probe.mechanisms.locks.Guard;
import threadping.probe.mechanisms.locks.Locks;

/** Locks that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenLockTest {
  /** A lock with its counter, until something is changed. */
  private static class Sound implements Cell {
    final ReentrantLock lock = new ReentrantLock();
    long count;

    @Override
    public long perform(int thread, int critical, Work work) {
      lock.lock();
      long seen = count++;
      lock.unlock();
      return seen;
    }

    @Override
    public long performTimed(int thread, int critical, Work work, Samples samples) {
      long start = System.nanoTime();
      long seen = perform(thread, critical, work);
      samples.add(start, start);
      return seen;
    }

    @Override
    public long found() {
      return count;
    }
  }

  private static TrialResult run(Cell cell) {
    TrialRequest request = TrialRequest.bounded(LockExperiment.EXPERIMENT);
    Locks.Cells cells = new Locks.Cells(new Cell[] {cell}, 0);
    Locks.Entry entry = new Locks.Entry("made-up", true, true, setup -> cells);
    return Experiments.run(
        request, LockExperiment.EXPERIMENT.with(LockExperiment.mechanism(entry)));
  }

  @Test
  void soundOnePasses() {
    TrialResult.Held increments = run(new Sound()).counts().get("increments");
    assertEquals(increments.made(), increments.found());
  }

  /**
   * An increment that is read outside the lock: both threads begin with the value 0, whatever the
   * machine, so that the second to store its 1 stores nothing new.
   */
  private static final class OutsideTheLock extends Sound {
    private final CountDownLatch bothHaveRead = new CountDownLatch(2);
    private final ThreadLocal<Boolean> hasRaced = ThreadLocal.withInitial(() -> false);

    @Override
    public long perform(int thread, int critical, Work work) {
      if (hasRaced.get()) {
        return super.perform(thread, critical, work);
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
      return seen;
    }
  }

  @Test
  void anIncrementOutsideTheLockIsMissed() {
    String sentence = assertFails(Failure.Code.COUNT_WRONG, () -> run(new OutsideTheLock()));
    assertTrue(sentence.endsWith(" were found: 1 lost."), sentence);
  }

  @Test
  void aLockThatIsNotReleasedStalls() {
    Cell keeping =
        new Sound() {
          @Override
          public long perform(int thread, int critical, Work work) {
            lock.lock();
            return count++;
          }
        };
    assertEquals(
        "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
        assertFails(Failure.Code.STALLED, () -> run(keeping)));
  }

  /** A lock as readers and writers take it, in which writing is slow: half of all is written. */
  private static TrialResult shared(Guard guard) {
    TrialRequest request = TrialRequest.bounded(LockExperiment.EXPERIMENT);
    request.params = Map.of("writes", 50L, "critical", 2000L);
    Locks.Cells none = new Locks.Cells(new Cell[0], 0);
    Locks.Entry entry =
        new Locks.Entry("made-up", true, true, List.of(), setup -> none, () -> guard);
    return Experiments.run(
        request, LockExperiment.EXPERIMENT.with(LockExperiment.mechanism(entry)));
  }

  /** A lock that all take alone, until something is changed. */
  private static class Alone implements Guard.Taken {
    final ReentrantLock lock = new ReentrantLock();

    @Override
    public long acquire() {
      lock.lock();
      return 0;
    }

    @Override
    public void release(long stamp) {
      lock.unlock();
    }
  }

  @Test
  void soundOneWithReadersPasses() {
    TrialResult.Held reads = shared(new Alone()).counts().get("whole reads");
    assertEquals(reads.made(), reads.found());
    assertTrue(reads.made() > 0);
  }

  @Test
  void aLockThatLetsReadersInWithAWriterIsMissed() {
    Guard leaky =
        new Alone() {
          @Override
          public long acquireShared() {
            return 0;
          }

          @Override
          public void releaseShared(long stamp) {}
        };
    String sentence = assertFails(Failure.Code.COUNT_WRONG, () -> shared(leaky));
    assertTrue(sentence.contains("whole reads"), sentence);
  }

  @Test
  void aLockThatLetsTwoWritersInIsMissed() {
    Guard open =
        new Alone() {
          @Override
          public long acquire() {
            return 0;
          }

          @Override
          public void release(long stamp) {}
        };
    String sentence = assertFails(Failure.Code.COUNT_WRONG, () -> shared(open));
    assertTrue(sentence.contains("increments") || sentence.contains("whole reads"), sentence);
  }
}
