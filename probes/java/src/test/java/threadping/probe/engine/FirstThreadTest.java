package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.TrialRequest.HOUR;
import static threadping.probe.TrialRequest.MS;

import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.toy.Toy;

/**
 * A first thread's visit, to the last operation: it is over at once, so only the request decides.
 */
@Timeout(60)
class FirstThreadTest {
  private static final Experiment TOY = Toy.experiment(Experiment.Unit.OPS);

  /** Operations of one call: soon it is compiled. */
  private static final int CHUNK = 256;

  /** Lead-ins, throughput and samples of the visits that find out how long they may be. */
  private static final int CALIBRATION_OPS = 2 * (4 + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));

  /**
   * A trial without warm-up whose windows are of 8 and 4 operations, found out in visits of 1, 2, 4
   * and 8.
   */
  private static TrialRequest smallVisits() {
    TrialRequest request = TrialRequest.brief(TOY, null, null);
    request.lines = 1;
    request.warmUp(0, 1, MS);
    request.warmup.lookNs = HOUR;
    request.windows.throughput = 8;
    request.windows.sampling = 4;
    request.measureNs = HOUR;
    request.boundNs = 2 * HOUR;
    return request;
  }

  /** From the first thread's run of this number on no run completes more than that. */
  private static final class StopsAt extends Acting {
    private final int completes;
    private int runsLeft;

    StopsAt(int run, int completes) {
      this.runsLeft = run;
      this.completes = completes;
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      int count = thread == 0 && --runsLeft <= 0 ? Math.min(completes, task.count()) : task.count();
      return super.run(thread, new Task(task.line(), count, task.every(), 0), samples);
    }
  }

  /**
   * The windows' operations of a trial that was stopped in the second visit, and how many durations
   * were censored. A visit is three runs: lead-in, throughput and samples; four visits are the
   * warm-up, and one more is complete.
   */
  private static void assertStopped(int inRun, int completes, long censored, long... ops) {
    TrialResult result = Experiments.run(smallVisits(), TOY, new StopsAt(15 + inRun, completes));
    assertTrue(result.cut());
    assertEquals(CALIBRATION_OPS, result.warmup().ops());
    assertArrayEquals(ops, result.windows().measuredOps(0));
    assertArrayEquals(ops, result.windows().measuredOps(1));
    assertEquals(censored, result.censored());
    assertEquals(4 + (ops.length > 3 ? ops[3] : 0), result.samples());
  }

  @Test
  void keepsAWindowThatWasStoppedAsFarAsItCame() {
    assertStopped(1, 0, 0, 8, 4);
    assertStopped(2, 0, 0, 8, 4);
    assertStopped(2, 6, 0, 8, 4, 6);
    assertStopped(3, 3, 1, 8, 4, 8, 3);
  }

  /** And what is to be uninterrupted is one: the threads share a round's operations. */
  @Test
  void aLongWindowIsManyRunsSoThatItIsCompiledAsAMethod() {
    TrialRequest request = smallVisits();
    request.windows.throughput = 100_000;
    request.measureNs = 100 * MS;
    request.warmUp(3, 2_000_001, HOUR);
    request.warmup.uninterrupted = true;
    TreeMap<Integer, Integer> lengths = new TreeMap<>();
    Acting noting =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            synchronized (lengths) {
              lengths.merge(task.count(), 1, Integer::sum);
            }
            return super.run(thread, task, samples);
          }
        };
    Experiments.run(request, TOY, noting);
    assertEquals(2 * 3, lengths.remove(1_000_001));
    assertTrue(lengths.get(CHUNK) > 100);
    // what is timed is one run: all of it is taken when it is over
    assertTrue(lengths.lastKey() <= Math.max(CHUNK, request.windows.sampling), lengths.toString());
  }
}
