package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.toy.Toy;

/**
 * A first thread that leads, to the last operation: here they are over at once, so that only the
 * request decides.
 */
@Timeout(60)
class FirstThreadTest {
  private static final Experiment TOY = Toy.experiment(Request.Unit.OPS);

  /** Lead-ins, throughput and samples of the visits that find out how long they may be. */
  private static final int CALIBRATION_OPS = 2 * (4 + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));

  /**
   * A trial without warm-up whose windows are of 8 and 4 operations, found out in visits of 1, 2, 4
   * and 8.
   */
  private static Request smallVisits() {
    Request request = Requests.brief(TOY, null, null);
    request.lines = 1;
    Requests.warmUp(request, 0, 1, HOUR);
    request.warmUp.lookNs = HOUR;
    request.windows.throughput = 8;
    request.windows.sampling = 4;
    request.measureNs = HOUR;
    request.boundNs = 2 * HOUR;
    return request;
  }

  /**
   * Is stopped in the first thread's run of this number: from then on no run completes more than
   * {@code completes}.
   */
  private static final class StopsAt extends Acting {
    private final int completes;
    private int runsLeft;

    StopsAt(int run, int completes) {
      this.runsLeft = run;
      this.completes = completes;
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      Task whole = thread == 0 && --runsLeft <= 0 ? task.atMost(completes) : task;
      return whole.count() > 0 ? super.run(thread, whole, samples) : 0;
    }
  }

  /**
   * The windows' operations of a trial that was stopped in the second visit, and how many durations
   * were censored. A visit is three runs: lead-in, throughput and samples; four visits are the
   * warm-up, and one more is complete.
   */
  private static void assertStopped(int inRun, int completes, long censored, long... ops) {
    Result result = Experiments.run(smallVisits(), TOY, new StopsAt(15 + inRun, completes));
    assertTrue(result.cut);
    assertEquals(CALIBRATION_OPS, result.warmUpOps);
    assertEquals(Result.Ended.ROUNDS, result.warmUpEnded);
    assertArrayEquals(ops, Sums.ops(result, 0));
    assertArrayEquals(ops, Sums.ops(result, 1));
    assertEquals(censored, Sums.censored(result));
    assertEquals(4 + (ops.length > 3 ? ops[3] : 0), Sums.samples(result));
  }

  @Test
  void keepsAWindowThatWasStoppedAsFarAsItCame() {
    assertStopped(1, 0, 0, 8, 4);
    assertStopped(2, 0, 0, 8, 4);
    assertStopped(2, 6, 0, 8, 4, 6);
    assertStopped(3, 3, 1, 8, 4, 8, 3);
  }

  @Test
  void measuresNothingWhereItWasStoppedInTheWarmUp() {
    Result result = Experiments.run(smallVisits(), TOY, new StopsAt(12, 3));
    assertTrue(result.cut);
    assertEquals(Result.Ended.LIMIT, result.warmUpEnded);
    assertEquals(0, result.measuredOps);
    assertEquals(0, result.windows.count);
    assertEquals(0, Sums.samples(result));
  }

  /** Notes how long the runs of the first thread are. */
  private static final class Lengths extends Acting {
    final TreeMap<Integer, Integer> seen = new TreeMap<>();

    @Override
    public int run(int thread, Task task, Samples samples) {
      if (thread == 0) {
        seen.merge(task.count(), 1, Integer::sum);
      }
      return super.run(thread, task, samples);
    }
  }

  @Test
  void roundsAreTheVeryVisitsThatAreMeasured() {
    Request request = smallVisits();
    Requests.warmUp(request, 3, 1001, HOUR);
    request.measureNs = MS;
    Lengths lengths = new Lengths();
    Result result = Experiments.run(request, TOY, lengths);
    assertEquals(8, lengths.seen.lastKey());
    long beyond = result.warmUpOps - 3003;
    assertTrue(beyond >= 0 && beyond < 2 * 2 * 13); // the other may be a visit behind
    assertEquals(Result.Ended.ROUNDS, result.warmUpEnded);
    Result.Windows windows = result.windows;
    int visits = (3003 - CALIBRATION_OPS + 25) / 26;
    assertTrue(Math.abs(windows.warmUp - 2 * visits) <= 2, windows.warmUp + " windows");
    assertTrue(windows.count > windows.warmUp);
    for (int window = 0; window < windows.count; window++) {
      assertEquals(window % 2, windows.every[window]);
      assertEquals(window % 2 == 1 ? 4 : 8, windows.ops[0][window]);
    }
    assertNull(windows.switches, "nobody stops for them here");
    assertEquals((windows.count - windows.warmUp) / 2 * 4, Sums.samples(result));
  }

  @Test
  void anUninterruptedRoundIsOneLoop() {
    Request request = smallVisits();
    Requests.warmUp(request, 3, 100_001, HOUR);
    request.warmUp.uninterrupted = true;
    request.measureNs = MS;
    Lengths whole = new Lengths();
    Result result = Experiments.run(request, TOY, whole);
    assertEquals(3, whole.seen.get(50_001)); // the threads share a round's operations
    assertEquals(CALIBRATION_OPS + 3 * 2 * 50_001, result.warmUpOps);
    assertEquals(Result.Ended.ROUNDS, result.warmUpEnded);
  }

  @Test
  void aLongWindowIsManyRunsSoThatItIsCompiledAsAMethod() {
    Request request = smallVisits();
    request.windows.throughput = 100_000;
    request.measureNs = 100 * MS;
    request.warmUp.lookNs = MS;
    Lengths lengths = new Lengths();
    Experiments.run(request, TOY, lengths);
    assertTrue(lengths.seen.lastKey() <= Math.max(FirstThread.CHUNK, 50_000));
    assertTrue(lengths.seen.get(FirstThread.CHUNK) > 100);
  }
}
