package threadping.probe.experiments.barrier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.engine.Cast.end;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Held;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/** The contract of every barrier; those of a pool in whole trials, in which these have threads. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int THREADS = 4;
  private static final int COORDINATOR = 0;

  private final Variant asked;

  ConformanceTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(BarrierExperiment.EXPERIMENT).stream().filter(Variant::hasDefaults).toList();
  }

  private boolean isPool() {
    return asked.mechanism.name().endsWith("-pool");
  }

  private static List<CompletableFuture<Integer>> workers(Cast cast) {
    List<CompletableFuture<Integer>> workers = new ArrayList<>();
    for (int worker = 1; worker < THREADS; worker++) {
      workers.add(cast.runAndLeave(worker, 0, FOR_EVER));
    }
    return workers;
  }

  private void reportsEachTimedRound(Map<String, Object> params) throws Exception {
    Stage stage = asked.stage(1, THREADS, params);
    Cast cast = new Cast(stage, false).of(THREADS);
    List<CompletableFuture<Integer>> workers = workers(cast);
    assertEquals(40, end(cast.run(COORDINATOR, 0, 40, 4)));
    end(cast.leave(COORDINATOR, 0));
    for (CompletableFuture<Integer> worker : workers) {
      assertEquals(40, end(worker));
    }
    assertEquals(new Held(120, 120, true), stage.counts(new long[] {40, 0, 0, 0}).get("rounds"));
    Noted noted = cast.samples(COORDINATOR);
    assertEquals(10, noted.size());
    assertEquals(40, noted.saidNumbers());
    for (int round = 0; round < 10; round++) {
      long first = noted.numbers(0).get(round);
      long last = noted.numbers(1).get(round);
      assertTrue(first <= last && last <= noted.numbers(3).get(round));
      assertEquals(last - first, noted.numbers(2).get(round));
    }
    assertFalse(BarrierExperiment.EXPERIMENT.roles().get(1).times(), "a worker looks into nothing");
    assertEquals(10, cast.samples(1).readings());
  }

  @Test
  void everyWorkerTakesPartInEveryRoundAndTheCoordinatorTellsOfThoseThatAreTimed()
      throws Exception {
    if (!isPool()) {
      reportsEachTimedRound(Map.of());
      reportsEachTimedRound(Map.of("join", "no", "pause", 100L, "work", 50L, "pacing", "period"));
    }
  }

  @Test
  void stopEndsEveryWait() throws Exception {
    if (isPool()) {
      return;
    }
    Stage stage = asked.stage(1, THREADS);
    Cast cast = new Cast(stage, false).of(THREADS);
    List<CompletableFuture<Integer>> lives = workers(cast);
    end(cast.run(COORDINATOR, 0, 3, 0));
    assertFalse(lives.get(0).isDone());
    cast.stop(1);
    for (CompletableFuture<Integer> life : lives) {
      assertEquals(3, end(life));
    }
    assertEquals(Map.of(), stage.counts(new long[THREADS]));
  }

  /** Of a worker that never comes a barrier waits in vain. */
  @Test
  void stopEndsTheCoordinatorsWait() throws Exception {
    if (isPool()) {
      return;
    }
    Stage stage = asked.stage(1, THREADS);
    Cast cast = new Cast(stage, false).of(THREADS);
    CompletableFuture<Integer> coordinator = cast.run(COORDINATOR, 0, FOR_EVER, 0);
    CompletableFuture<Integer> worker = cast.runAndLeave(1, 0, FOR_EVER);
    Thread.sleep(2);
    assertFalse(coordinator.isDone());
    cast.stop(1);
    end(worker);
    assertTrue(end(coordinator) <= 1);
  }

  @Test
  void isMeasuredByMoreThreadsThanCpus() {
    TrialRequest request = asked.request(9, Map.of("jobs", 12L, "work", 10L, "imbalance", 100L));
    TrialResult result =
        Experiments.until(
            trial -> trial.counts().get("rounds").made() > 80, request, asked.experiment);
    TrialResult.Held rounds = result.counts().get("rounds");
    assertEquals(rounds.made(), rounds.found());
  }

  @Test
  void anEndlessTrialEndsWithItsBound() {
    TrialRequest request = TrialRequest.endless(asked.experiment);
    request.mechanism = asked.mechanism.name();
    request.run(asked.experiment);
  }
}
