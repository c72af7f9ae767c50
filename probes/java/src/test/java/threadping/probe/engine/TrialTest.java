package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.HOUR;
import static threadping.probe.TrialRequest.MS;
import static threadping.probe.TrialRequest.NO_SUCH_CPU;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.experiments.wakeup.WakeupExperiment;
import threadping.probe.platform.Places;
import threadping.probe.toy.Toy;

/** What a trial asks of a stage in Java, and what it learns of the virtual machine. */
@Timeout(60)
class TrialTest {
  private static final List<Integer> ALLOWED = Places.allowedCpus();
  private static final int FIRST = ALLOWED.get(0);
  private static final int LAST = ALLOWED.get(ALLOWED.size() - 1);
  private static final Experiment TOY = Toy.experiment(Experiment.Unit.OPS);

  private static String refusal(
      Failure.Code code, Experiment experiment, Consumer<TrialRequest> change, Integer... cpus) {
    TrialRequest request = TrialRequest.brief(experiment, cpus);
    change.accept(request);
    return assertFails(code, () -> request.run(experiment));
  }

  @Test
  void ofHalfAPair() {
    assertEquals(
        "wakeup takes pairs of threads, each a notifier and a waiter, not 3 threads.",
        refusal(
            Failure.Code.BAD_REQUEST,
            WakeupExperiment.EXPERIMENT,
            request -> {},
            null,
            null,
            null));
  }

  @Test
  void ofMoreMemoryThanItMayTake() {
    String sentence =
        refusal(
            Failure.Code.BAD_REQUEST,
            WakeupExperiment.EXPERIMENT,
            request -> request.params = Map.of("message-bytes", 1L << 20),
            new Integer[4096]);
    assertTrue(sentence.endsWith("lower --threads or the parameter 'buffer'."), sentence);
  }

  /** Any thread, under any lead. */
  @Test
  void whereAThreadCannotBePinned() {
    for (Experiment.Unit windows : Experiment.Unit.values()) {
      for (Integer[] cpus : new Integer[][] {{NO_SUCH_CPU, null}, {null, NO_SUCH_CPU}}) {
        String sentence =
            refusal(
                Failure.Code.PIN_FAILED,
                Toy.experiment(windows),
                request -> request.patienceNs = HOUR, // which nobody waits for
                cpus);
        assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
      }
    }
  }

  /** Three roles, given backwards: two time what lasts as they say, one counts this or that. */
  private static final class ByRole extends Acting {
    @Override
    public int roleOf(int thread) {
      return 2 - thread % 3;
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      int role = roleOf(thread);
      long now = System.nanoTime();
      for (int each = 0; role < 2 && each < task.count() && task.every() > 0; each++) {
        samples.add(now - 10 - role, now);
      }
      if (thread == 0) {
        samples.number(1, 3);
      } else if (thread == 3) {
        samples.tally(1, 2, 1);
      }
      Thread.yield(); // there are more threads than CPUs
      return task.count();
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      return Map.of("stones", new Held(ops.length, 7, false));
    }
  }

  @Test
  void eachRoleHasItsNameItsDurationsItsNumbersAndItsTallies() {
    Experiment three =
        new Experiment(
            "three",
            List.of(
                new Role("red", true),
                new Role("green", true),
                new Role(
                    "blue",
                    true,
                    List.of(
                        new Role.NumberInfo("weights", "grams"),
                        new Role.NumberInfo("sizes", "stones")),
                    List.of("catches", "throws"))),
            3,
            6,
            Experiment.Unit.NS,
            "Nobody moves.",
            false,
            false,
            List.of(
                new Mechanism(
                    "by-role",
                    false,
                    List.of("first", "others"),
                    1,
                    List.of(),
                    x -> new ByRole())));
    TrialRequest request = TrialRequest.brief(three, new Integer[6]);
    request.measureNs = 30 * MS; // ten windows: each gets a CPU in some
    TrialResult result =
        Experiments.until(
            enough ->
                enough.samples() > 0
                    && enough.distributions().get("sizes").samples() > 0
                    && enough.counts().containsKey("throws"),
            request,
            three);
    assertEquals(
        List.of("blue", "green", "red", "blue", "green", "red"),
        result.threads().stream().map(TrialResult.MeasuringThread::role).toList());
    assertEquals(Set.of("first", "others", "sizes", "weights"), result.distributions().keySet());
    assertArrayEquals(new long[] {10}, result.distributions().get("first").values());
    assertArrayEquals(new long[] {11}, result.distributions().get("others").values());
    assertEquals("stones", result.distributions().get("sizes").unit());
    assertArrayEquals(new long[] {3}, result.distributions().get("sizes").values());
    TrialResult.Held thrown = result.counts().get("throws");
    assertEquals(2 * thrown.found(), thrown.made());
    assertEquals(new TrialResult.Held(6, 7, false), result.counts().get("stones"));
  }

  @Test
  void saysHowFarTheClocksDifferOfThoseWhoCompareThem() {
    assumeTrue(FIRST != LAST, "this machine lets us use one CPU only");
    TrialResult notified =
        Experiments.until(
            compared -> compared.clock().skew() != null,
            TrialRequest.brief(WakeupExperiment.EXPERIMENT, FIRST, LAST),
            WakeupExperiment.EXPERIMENT);
    assertTrue(notified.clock().skew().leastNs() <= notified.clock().skew().mostNs());
    assertNull(TrialRequest.brief(TOY, FIRST, LAST).run(TOY).clock().skew());
  }

  /**
   * The cells are made by a thread that is not pinned, since java.util.concurrent asks for the
   * number of CPUs then; another thread, which is pinned, touches their memory.
   */
  @Test
  void aHomeIsWhereTheCellsMemoryIsTouchedAndNothingElse() {
    List<List<Integer>> made = new ArrayList<>();
    Mechanism adding = TOY.mechanisms().get(0);
    Mechanism noting =
        new Mechanism(
            "noting",
            false,
            adding.timed(),
            1,
            List.of(),
            setup -> {
              made.add(Places.allowedCpus());
              return adding.maker().stage(setup);
            });
    Experiment toy = TOY.with(noting);
    TrialRequest request = TrialRequest.brief(toy, null, null);
    for (List<Integer> home : Arrays.asList(List.of(FIRST), List.of(LAST), ALLOWED, null)) {
      request.home = home;
      TrialResult result = request.run(toy);
      assertEquals(ALLOWED, Places.allowedCpus());
      assertEquals(ALLOWED, result.threads().get(0).cpusStart());
      assertTrue(result.home().nodes() == null || !result.home().nodes().isEmpty());
    }
    assertEquals(Collections.nCopies(4, ALLOWED), made);
    String sentence =
        refusal(
            Failure.Code.PIN_FAILED, toy, wanted -> wanted.home = List.of(NO_SUCH_CPU), null, null);
    assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
  }

  @Test
  void aStageKnowsWhetherItsMechanismBlocks() {
    List<Boolean> known = new ArrayList<>();
    Mechanism adding = TOY.mechanisms().get(0);
    for (boolean blocking : new boolean[] {true, false}) {
      Mechanism.Maker noting =
          setup -> {
            known.add(setup.blocking());
            return adding.maker().stage(setup);
          };
      Experiment toy =
          TOY.with(new Mechanism("noting", blocking, adding.timed(), 1, List.of(), noting));
      TrialRequest.brief(toy, null, null).run(toy);
    }
    assertEquals(List.of(true, false), known);
  }

  /** In each visit it collects: it is never steady, and the result says how often. */
  @Test
  void aVirtualMachineThatCollectsIsNotSteady() {
    Acting collecting =
        new Acting() {
          @Override
          public int run(int thread, Task task, Samples samples) {
            if (thread == 0 && task.every() > 0) {
              System.gc();
            }
            return super.run(thread, task, samples);
          }
        };
    TrialRequest request = TrialRequest.brief(TOY, null, null);
    request.lines = 1;
    request.warmup.steady = 1.0;
    request.warmUp(0, 1, 300 * MS);
    TrialResult result = Experiments.run(request, TOY, collecting);
    assertEquals("limit", result.warmup().ended());
    assertTrue(result.managed().collections() >= 1);
    assertNotNull(result.managed().compileMs());
    assertNotNull(
        result.managed().restedNs(), "the threads that compile have the names of HotSpot's");
    assertEquals(result.windows().count(), result.windows().compileMs().length);
    assertNull(result.windows().switches(), "nobody stops for them here");
  }
}
