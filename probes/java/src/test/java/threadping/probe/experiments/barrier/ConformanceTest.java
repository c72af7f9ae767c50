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

/** What every barrier promises, those of a pool in whole trials, in which these have threads. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int THREADS = 4;
  private static final int CALLER = 0;

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

  private static List<CompletableFuture<Integer>> members(Cast cast) {
    List<CompletableFuture<Integer>> members = new ArrayList<>();
    for (int member = 1; member < THREADS; member++) {
      members.add(cast.runAndLeave(member, 0, FOR_EVER));
    }
    return members;
  }

  private void tellsEachTimedRound(Map<String, Object> params) throws Exception {
    Stage stage = asked.stage(1, THREADS, params);
    Cast cast = new Cast(stage, false).of(THREADS);
    List<CompletableFuture<Integer>> members = members(cast);
    assertEquals(40, end(cast.run(CALLER, 0, 40, 4)));
    end(cast.leave(CALLER, 0));
    for (CompletableFuture<Integer> member : members) {
      assertEquals(40, end(member));
    }
    assertEquals(new Held(120, 120, true), stage.counts(new long[] {40, 0, 0, 0}).get("rounds"));
    Noted told = cast.samples(CALLER);
    assertEquals(10, told.size());
    assertEquals(40, told.saidNumbers());
    for (int round = 0; round < 10; round++) {
      long first = told.numbers(0).get(round);
      long last = told.numbers(1).get(round);
      assertTrue(first <= last && last <= told.numbers(3).get(round));
      assertEquals(last - first, told.numbers(2).get(round));
    }
    assertFalse(BarrierExperiment.EXPERIMENT.roles().get(1).times(), "a member looks into nothing");
    assertEquals(10, cast.samples(1).readings());
  }

  @Test
  void everyMemberTakesPartInEveryRoundAndTheCallerTellsOfThoseThatAreTimed() throws Exception {
    if (!isPool()) {
      tellsEachTimedRound(Map.of());
      tellsEachTimedRound(Map.of("join", "no", "pause", 100L, "work", 50L, "pacing", "period"));
    }
  }

  @Test
  void stopEndsEveryWait() throws Exception {
    if (isPool()) {
      return;
    }
    Stage stage = asked.stage(1, THREADS);
    Cast cast = new Cast(stage, false).of(THREADS);
    List<CompletableFuture<Integer>> lives = members(cast);
    end(cast.run(CALLER, 0, 3, 0));
    assertFalse(lives.get(0).isDone());
    cast.stop(1);
    for (CompletableFuture<Integer> life : lives) {
      assertEquals(3, end(life));
    }
    assertEquals(Map.of(), stage.counts(new long[THREADS]));
  }

  /** Of a member that never comes a barrier waits in vain. */
  @Test
  void stopEndsTheCallersWait() throws Exception {
    if (isPool()) {
      return;
    }
    Stage stage = asked.stage(1, THREADS);
    Cast cast = new Cast(stage, false).of(THREADS);
    CompletableFuture<Integer> caller = cast.run(CALLER, 0, FOR_EVER, 0);
    CompletableFuture<Integer> member = cast.runAndLeave(1, 0, FOR_EVER);
    Thread.sleep(2);
    assertFalse(caller.isDone());
    cast.stop(1);
    end(member);
    assertTrue(end(caller) <= 1);
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
