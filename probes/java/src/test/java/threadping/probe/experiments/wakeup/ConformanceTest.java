package threadping.probe.experiments.wakeup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.engine.Cast.end;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Held;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/** The two loops on one signal for each kind of thread; a signal's contract is checked there. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int NOTIFIER = 0;
  private static final int WAITER = 1;
  private static final Map<String, Object> QUICK = Map.of("pause", 0L, "waiter-pause", 0L);

  private final Variant asked;
  private Stage stage;
  private Cast cast;

  ConformanceTest(Variant asked) throws Exception {
    this.asked = asked;
    cast(2, QUICK);
  }

  static List<Variant> variants() {
    return Variant.of(WakeupExperiment.EXPERIMENT).stream()
        .filter(Variant::hasDefaults)
        .filter(one -> one.isFirstOfItsKind() || one.mechanism.virtual())
        .toList();
  }

  private void cast(int threads, Map<String, Object> params) throws Exception {
    stage = asked.stage(1, threads, params);
    cast = new Cast(stage, asked.mechanism.virtual()).of(threads);
  }

  @AfterEach
  void stop() throws InterruptedException {
    cast.stop(1);
  }

  private void assertFound(long calls) {
    Held found = stage.counts(new long[] {1234, 99}).get("calls");
    assertEquals(1234, found.made(), "what notifiers made");
    assertEquals(calls, found.found());
    assertTrue(found.exact());
  }

  @Test
  void losesNoCallAndEndsWhereItsPartnerHasLeft() throws Exception {
    CompletableFuture<Integer> waiter = cast.runAndLeave(WAITER, 0, FOR_EVER);
    assertEquals(100, end(cast.runAndLeave(NOTIFIER, 0, 100)));
    assertEquals(100, end(waiter), "calls, however many came at once");
    assertFound(100);
  }

  /** It takes what still comes before it leaves. */
  @Test
  void aWaiterThatHasDoneItsShareLosesNoCall() throws Exception {
    CompletableFuture<Integer> waiter = cast.runAndLeave(WAITER, 0, 1);
    assertEquals(50, end(cast.runAndLeave(NOTIFIER, 0, 50)));
    assertEquals(50, end(waiter));
    assertFound(50);
  }

  @Test
  void aWaiterThatComesLateFindsTheCallsThatWereMade() throws Exception {
    assertEquals(7, end(cast.runAndLeave(NOTIFIER, 0, 7)));
    assertEquals(7, end(cast.run(WAITER, 0, 7, 1)));
    assertEquals(0, cast.samples(WAITER).found(0), "it had to wait for none");
    assertEquals(7, cast.samples(WAITER).made(0));
    assertEquals(0, cast.samples(WAITER).size(), "nor was a wait timed");
    assertEquals(0, cast.samples(WAITER).readings());
    assertEquals(0, end(cast.leave(WAITER, 0)));
    assertFound(7);
  }

  /** A notifier's begin and end alternate; a waiter's begin with a call. */
  @Test
  void timesCallsAndWakeUps() throws Exception {
    int count = 50;
    CompletableFuture<Integer> waiter = cast.run(WAITER, 0, count, 1);
    assertEquals(count, end(cast.run(NOTIFIER, 0, count, 1)));
    assertEquals(count, end(waiter));
    Noted calls = cast.samples(NOTIFIER);
    Noted wakes = cast.samples(WAITER);
    assertEquals(count, calls.size());
    assertEquals(2 * count, calls.readings());
    assertEquals(count, calls.looks, "after each pause");
    long last = 1;
    for (int call = 0; call < count; call++) {
      assertTrue(last <= calls.from(call) && calls.from(call) <= calls.to(call));
      last = calls.to(call);
    }
    assertEquals(count, wakes.made(0));
    assertTrue(wakes.found(0) <= count);
    assertTrue(wakes.size() <= wakes.found(0));
    assertEquals(wakes.size(), wakes.readings());
    last = 0;
    for (int wake = 0; wake < wakes.size(); wake++) {
      long from = wakes.from(wake);
      assertTrue(from > last, "with one that it had not seen");
      boolean isOfACall = false;
      for (int call = 0; call < count; call++) {
        isOfACall |= calls.from(call) == from;
      }
      assertTrue(isOfACall);
      last = from;
    }
  }

  @Test
  void timesTheMiddleCallOfEachGroup() throws Exception {
    end(cast.run(NOTIFIER, 0, 44, 8)); // the last group has no middle
    assertEquals(5, cast.samples(NOTIFIER).size());
  }

  @Test
  void stopEndsAWaiterAndLeavesNothingToCompare() throws Exception {
    CompletableFuture<Integer> waiting = cast.runAndLeave(WAITER, 0, FOR_EVER);
    Thread.sleep(2);
    assertFalse(waiting.isDone());
    stop();
    assertEquals(0, end(waiting));
    assertEquals(Map.of(), stage.counts(new long[2]));
  }

  /** In the warm-up as later; and no call ends a waiter's pause, as a permit would. */
  @Test
  void bothPause() throws Exception {
    long ms = 1_000_000;
    stop();
    cast(2, Map.of("pause", 20_000L, "waiter-pause", 50_000L));
    long start = System.nanoTime();
    CompletableFuture<Integer> waiter = cast.run(WAITER, 0, 1, 0);
    end(cast.run(NOTIFIER, 0, 1, 0)); // its first pause is drawn
    assertEquals(1, end(waiter));
    assertTrue(System.nanoTime() - start >= 50 * ms, "a call has ended the pause");
    start = System.nanoTime();
    end(cast.run(NOTIFIER, 0, 3, 0));
    assertTrue(System.nanoTime() - start >= 60 * ms);
  }

  @Test
  void sixteenPairsKeepToThemselves() throws Exception {
    stop();
    cast(32, QUICK);
    List<CompletableFuture<Integer>> lives = new ArrayList<>();
    for (int thread = 0; thread < 32; thread += 2) {
      lives.add(cast.runAndLeave(thread + 1, 0, FOR_EVER));
      lives.add(cast.runAndLeave(thread, 0, thread + 1));
    }
    for (CompletableFuture<Integer> life : lives) {
      end(life);
    }
    assertEquals(16 * 16, stage.counts(new long[32]).get("calls").found());
    assertTrue(stage.comparesClocks(0, 1) && stage.comparesClocks(30, 31));
    assertFalse(stage.comparesClocks(1, 2) || stage.comparesClocks(0, 3));
  }
}
