package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.toy.Toy;

/** A lead that performs nothing itself: what it has the threads do. */
@Timeout(60)
class OutsiderTest {
  private static final Experiment TOY = Toy.experiment(Request.Unit.NS);
  private static final int LONG = 50_001;

  /** The same as a stream. */
  private static final Experiment STREAM =
      new Experiment(
          "stream",
          List.of(new Role("sender", false), new Role("receiver", true)),
          2,
          2,
          Request.Unit.NS,
          "Nothing flows any more.",
          true,
          false,
          TOY.mechanisms());

  private static final Experiment OPEN_LOOP =
      new Experiment(
          "open loop",
          STREAM.roles(),
          2,
          2,
          Request.Unit.NS,
          STREAM.stalled(),
          true,
          true,
          TOY.mechanisms());

  /** What comes in throughput windows and between them is timed too, and it alone is counted. */
  @Test
  void anOpenLoopIsTimedAllTheTime() {
    AtomicInteger untimed = new AtomicInteger();
    AtomicInteger timed = new AtomicInteger();
    Request request = Requests.brief(OPEN_LOOP, null, null);
    Result result =
        Experiments.run(
            request,
            OPEN_LOOP,
            new Acting() {
              @Override
              public int run(int thread, Task task, Samples samples) {
                (task.every() > 0 ? timed : untimed).incrementAndGet();
                LockSupport.parkNanos(20_000);
                samples.add(0, 1 + thread); // it was due long ago
                return 1;
              }
            });
    assertTrue(timed.get() > 0);
    assertEquals(0, untimed.get());
    Result.Distribution times = result.distributions.get("increment");
    assertEquals(0, times.censored());
    assertEquals(2, times.values()[times.values().length - 1]);
    long received = times.counts()[times.counts().length - 1];
    long inSampling = 0;
    for (int window = result.windows.warmUp; window < result.windows.count; window++) {
      inSampling += result.windows.isSampling(window) ? result.windows.ops[1][window] : 0;
    }
    assertTrue(received > inSampling, received + " of " + inSampling);
    assertTrue(received <= result.measuredOps, received + " of " + result.measuredOps);
  }

  private static Request rounds() {
    Request request = Requests.brief(TOY, null, null);
    Requests.warmUp(request, 3, 2 * LONG - 1, 20_000 * MS);
    request.warmUp.uninterrupted = true;
    request.warmUp.lookNs = 5 * MS; // much beside an order
    return request;
  }

  /** Counts the runs as long as a thread's share of a round, and takes its time. */
  private static class Lengths extends Acting {
    final AtomicInteger rounds = new AtomicInteger();

    @Override
    public int run(int thread, Task task, Samples samples) {
      rounds.addAndGet(task.count() == LONG ? 1 : 0);
      LockSupport.parkNanos(10L * task.count());
      return super.run(thread, task, samples);
    }
  }

  @Test
  void anUninterruptedRoundIsOneLoopOfEachThread() {
    Lengths lengths = new Lengths();
    Result result = Experiments.run(rounds(), TOY, lengths);
    assertEquals(3 * 2, lengths.rounds.get());
    assertTrue(result.warmUpOps >= 3 * 2 * LONG);
    assertEquals(Result.Ended.ROUNDS, result.warmUpEnded);
  }

  @Test
  void aRoundsLimitIsALimit() {
    Request request = rounds();
    Requests.warmUpForEver(request, 10 * MS);
    Result result = Experiments.run(request, TOY, new Lengths());
    assertFalse(result.cut);
    assertEquals(Result.Ended.LIMIT, result.warmUpEnded);
    assertTrue(result.windows.count >= 2);
  }

  // ---- steadiness ----

  /** An operation takes 100 us; in the first 150 ms of a worker three times as long. */
  private static final class Warming extends Acting {
    private final long warmNs = System.nanoTime() + 150 * MS;

    @Override
    public int run(int thread, Task task, Samples samples) {
      for (int each = 0; each < task.count(); each++) {
        LockSupport.parkNanos(System.nanoTime() < warmNs ? 3 * MS : MS / 2);
      }
      return super.run(thread, task, samples);
    }
  }

  @Test
  void withoutRoundsItWaitsForAPaceThatIsSteady() {
    Request request = Requests.brief(TOY, null, null);
    Requests.warmUp(request, 0, 1, 20_000 * MS);
    request.warmUp.steady = 1.0; // this machine is busy
    request.windows.throughput = 10 * MS;
    request.windows.sampling = 10 * MS;
    Result result = Experiments.run(request, TOY, new Warming());
    assertEquals(Result.Ended.STEADY, result.warmUpEnded);
    assertTrue(result.windows.warmUp >= 2 * 2 * Lead.LEAST_WINDOWS, "two stretches at least");
    assertTrue(result.warmUpOps > 0);
  }

  // ---- streams ----

  /** Notes what the threads are told, and sends with no end. */
  private static final class Flow extends Acting {
    final List<String> left = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger runsAfterLeaving = new AtomicInteger();

    @Override
    public int run(int thread, Task task, Samples samples) {
      runsAfterLeaving.addAndGet(left.contains("left " + thread) ? 1 : 0);
      LockSupport.parkNanos(MS / 20);
      return super.run(thread, task, samples);
    }

    @Override
    public void leave(int thread, int line) {
      left.add("left " + thread);
    }
  }

  @Test
  void aStreamFlowsFromTheFirstWindowToTheLastAndEndsOnce() {
    Request request = Requests.brief(STREAM, null, null);
    request.experiment = STREAM.name();
    Flow flow = new Flow();
    Result result = Experiments.run(request, STREAM, flow);
    assertTrue(result.windows.count >= 4);
    assertEquals(2, flow.left.size(), flow.left.toString());
    assertEquals(0, flow.runsAfterLeaving.get());
  }

  @Test
  void whatARoleThatCountsNothingDoesIsInWindowsAlone() {
    Request request = Requests.brief(STREAM, null, null);
    Acting uneven =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            LockSupport.parkNanos(MS / 20);
            return thread == 0 ? 1000 * task.count() : super.run(thread, task, samples);
          }
        };
    request.measureNs = 50 * MS;
    Result result = Experiments.run(request, STREAM, uneven);
    long senders = LongStream.of(Sums.ops(result, 0)).sum();
    assertTrue(senders > 0);
    assertTrue(result.measuredOps < senders / 10, result.measuredOps + " beside " + senders);
  }

  @Test
  void aStreamThatIsCutByItsBoundEndsToo() {
    Request request = Requests.endless(STREAM);
    request.patienceNs = HOUR;
    Flow flow = new Flow();
    assertTrue(Experiments.run(request, STREAM, flow).cut);
    assertEquals(2, flow.left.size());
  }

  /** Hundreds of threads may take longer to end than anybody is patient: they move all the time. */
  @Test
  void aStreamThatEndsSlowlyHasNotStalled() {
    AtomicInteger signs = new AtomicInteger();
    Acting slow =
        new Acting() {
          @Override
          public void leave(int thread, int line) {
            for (int sign = 0; sign < 1000; sign++) {
              LockSupport.parkNanos(MS);
              signs.incrementAndGet();
            }
          }

          @Override
          public long progress(int line) {
            return signs.get();
          }
        };
    Request request = Requests.endless(STREAM);
    request.patienceNs = 500 * MS;
    assertTrue(Experiments.run(request, STREAM, slow).cut);
  }

  // ---- how often is sampled ----

  /** One thread reads the clock for an operation, the other 50 times. */
  @Test
  void whoReadsTheClockMostIsHeldToItsShare() {
    Request request = Requests.brief(TOY, null, null);
    request.measureNs = 200 * MS;
    Acting reading =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            long end = System.nanoTime() + 2000L * task.count();
            while (System.nanoTime() < end) {
              Thread.onSpinWait();
            }
            samples.readClock(
                task.every() == 0 ? 0 : task.count() / task.every() * (thread == 1 ? 50 : 1));
            return task.count();
          }
        };
    Experiment alone = Experiments.with(TOY, setup -> reading);
    request.mechanism = alone.mechanisms().get(0).name();
    // 50 readings of some 20 ns in 2 us are half the time, not 2%; some windows get no CPU
    Experiments.until(
        result -> IntStream.of(result.windows.every).anyMatch(every -> every >= 8), request, alone);
  }
}
