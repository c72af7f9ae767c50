package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.toy.Toy;

/** The loop of a worker in Java, seen by its player; what it is part of is asked of C++. */
@Timeout(60)
class WorkerTest {
  private static final Experiment TOY = Toy.experiment(Experiment.Unit.NS);
  private static final long MS = TrialRequest.MS;

  private static Experiment stream() {
    return new Experiment(
        "stream",
        List.of(new Role("sender", false), new Role("receiver", true)),
        2,
        2,
        Experiment.Unit.NS,
        "Nothing flows any more.",
        true,
        false,
        TOY.mechanisms());
  }

  /** What a thread does: a line where it ran, or -1 less one that it left. */
  private static final class Steps extends Acting {
    final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    private final int who;
    private long done;
    private long counted;

    Steps(int who) {
      this.who = who;
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      LockSupport.parkNanos(MS / 20);
      if (thread == who) {
        seen.add(task.line());
        done += task.count();
      }
      return super.run(thread, task, samples);
    }

    @Override
    public int leave(int thread, int line) {
      if (thread == who) {
        seen.add(-1 - line);
        done += 3;
      }
      return 3;
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      counted = ops[who];
      return Map.of();
    }
  }

  /** Also who leads; and works on no other in between. */
  @Test
  void leavesALineOnceForEachOrderOfWork() {
    for (Experiment.Unit windows : Experiment.Unit.values()) {
      Experiment toy = Toy.experiment(windows);
      Steps steps = new Steps(windows == Experiment.Unit.OPS ? 0 : 1);
      TrialResult result = Experiments.run(TrialRequest.brief(toy, null, null), toy, steps);
      int line = -1; // none
      int left = 0;
      for (int step : steps.seen) {
        if (step < 0) {
          assertTrue(line == -1 || line == -1 - step, "left " + step + " where it was on " + line);
          line = -1;
          left++;
        } else {
          assertTrue(line == -1 || line == step, "went to " + step + " from " + line);
          line = step;
        }
      }
      assertEquals(-1, line, "it has left the last one");
      assertTrue(left >= result.windows().count() / 2, left + " times");
      assertEquals(steps.done, steps.counted, "with what it completed when it left");
    }
  }

  @Test
  void leavesAStreamOnceAndLast() {
    for (TrialRequest request :
        List.of(
            TrialRequest.brief(stream(), null, null), // or cut
            TrialRequest.endless(stream()))) {
      Steps steps = new Steps(1);
      Experiments.run(request, stream(), steps);
      assertEquals(steps.seen.size() - 1, steps.seen.indexOf(-1), steps.seen.toString());
      assertEquals(steps.done, steps.counted);
    }
  }

  /** Of a window of a first thread all samples count; it ends with the last of them. */
  @Test
  void takesMoreThanItsCapacityAtOnce() {
    int each = 500;
    Acting many =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            for (int sample = 0; task.every() > 0 && sample < each * task.count(); sample++) {
              samples.add(task.openedNs(), task.openedNs() + 10);
            }
            return task.count();
          }
        };
    Experiment toy = Toy.experiment(Experiment.Unit.OPS);
    TrialResult result = Experiments.run(TrialRequest.brief(toy, null, null), toy, many);
    long sampled = 0;
    for (int window = result.windows().warmUp(); window < result.windows().count(); window++) {
      if (result.windows().every()[window] > 0) {
        sampled += result.windows().ops()[0][window];
        assertEquals(10, result.windows().ns()[window]);
      }
    }
    assertTrue(sampled > 0);
    assertEquals(each * sampled, result.samples());
  }

  /** One thread reads the clock for an operation, the other 50 times. */
  @Test
  void reportsHowOftenItReadTheClock() {
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
    TrialRequest request = TrialRequest.brief(TOY, null, null);
    request.measureNs = 200 * MS;
    Mechanism spinning =
        new Mechanism("spinning", false, List.of("increment"), 1, List.of(), setup -> reading);
    request.mechanism = spinning.name();
    // 50 readings of some 20 ns in 2 us are half the time, not 2%; some windows get no CPU
    Experiments.until(
        result -> IntStream.of(result.windows().every()).anyMatch(every -> every >= 8),
        request,
        TOY.with(spinning));
  }

  /** Ahead of each run that is timed, and not while others wait behind it. */
  @Test
  void looksOnlyWhereSomethingIsTimed() {
    AtomicInteger runs = new AtomicInteger();
    Acting waitedFor =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            samples.othersWait(true);
            runs.incrementAndGet();
            return super.run(thread, task, samples);
          }
        };
    TrialRequest request = TrialRequest.brief(TOY, null, null);
    request.measureNs = 50 * MS;
    assertTrue(Experiments.run(request, TOY, new Steps(0)).evidence().looks() > 0);
    TrialResult never = Experiments.run(request, TOY, waitedFor);
    assertTrue(never.evidence().looks() <= 2, never.evidence().looks() + " before it knew");
    assertFalse(runs.get() == 0 || never.evidence().outliers().isEmpty(), "kept all the same");
  }
}
