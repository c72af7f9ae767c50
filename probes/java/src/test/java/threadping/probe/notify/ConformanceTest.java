package threadping.probe.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.crew.Players.end;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Players;
import threadping.probe.crew.Timings;
import threadping.probe.crew.Variant;
import threadping.probe.message.Result;

/** The same questions to every mechanism; one that is added to the list answers them too. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int LINES = 2;
  private static final int NOTIFIER = 0;
  private static final int WAITER = 1;

  private final Variant asked;
  private Loops loops;
  private final Players players;

  ConformanceTest(Variant asked) {
    this.asked = asked;
    this.loops = asked.loops(LINES, 2);
    this.players = new Players(asked.mechanism.virtual);
  }

  static List<Variant> variants() {
    return Variant.of(Notify.EXPERIMENT);
  }

  private CompletableFuture<Integer> apart(Players.Part part) {
    return players.apart(part);
  }

  /** What a thread does that is ordered to a line: so many operations, and it leaves. */
  private CompletableFuture<Integer> ordered(int thread, int line, int count) {
    return apart(
        () -> {
          int done = loops.plain(thread, line, count);
          loops.leave(thread, line);
          return done;
        });
  }

  @AfterEach
  void stop() throws InterruptedException {
    players.stop(loops, LINES);
  }

  private void assertFound(long calls) {
    Map<String, Result.Held> counts = loops.counts(1234);
    Result.Held found = counts.get("calls");
    assertEquals(1234, found.made);
    assertEquals(calls, found.found);
    assertTrue(found.exact);
    Result.Held wakes = counts.get("wake-ups");
    assertEquals(1234, wakes.made);
    assertTrue(wakes.found >= 0 && wakes.found <= calls, wakes.found + " of " + calls);
    assertFalse(wakes.exact);
  }

  @Test
  void onlyNotifiersCount() {
    assertTrue(loops.counted(0) && loops.counted(2));
    assertFalse(loops.counted(1) || loops.counted(3));
  }

  /** Line by line, again and again: what was left before is not taken for a leaving of now. */
  @Test
  void losesNoCallAndEndsWhereItsPartnerHasLeft() throws Exception {
    long calls = 0;
    for (int count : new int[] {1, 2, 3, 100}) {
      for (int line = 0; line < LINES; line++) {
        CompletableFuture<Integer> waiter = ordered(WAITER, line, FOR_EVER);
        assertEquals(count, end(ordered(NOTIFIER, line, count)));
        int answers = end(waiter);
        assertTrue(answers >= 1 && answers <= count, answers + " answers");
        calls += count;
        assertFound(calls);
      }
    }
  }

  /** It takes what still comes before it leaves. */
  @Test
  void aWaiterThatHasDoneItsShareLosesNoCall() throws Exception {
    for (int round = 1; round <= 20; round++) {
      CompletableFuture<Integer> waiter = ordered(WAITER, 0, 1);
      assertEquals(5, end(ordered(NOTIFIER, 0, 5)));
      assertEquals(1, end(waiter));
      assertFound(5 * round);
    }
  }

  @Test
  void aWaiterThatComesLateFindsTheCallsThatWereMade() throws Exception {
    assertEquals(7, end(ordered(NOTIFIER, 0, 7)));
    assertEquals(1, end(ordered(WAITER, 0, FOR_EVER)));
    assertFound(7);
    assertEquals(0, loops.counts(7).get("wake-ups").found);
  }

  @Test
  void callsOnOneLineWakeNobodyOnAnother() throws Exception {
    CompletableFuture<Integer> waiter = apart(() -> loops.plain(WAITER, 0, 1));
    end(ordered(NOTIFIER, 1, 10));
    assertEquals(0, loops.progress(0));
    assertEquals(10, loops.progress(1));
    end(ordered(NOTIFIER, 0, 1));
    assertEquals(1, end(waiter));
  }

  /** A notifier's begin and end in turn; a waiter's begin with a call and end after it. */
  @Test
  void timesCallsAndWakeUps() throws Exception {
    int count = 50;
    Timings calls = new Timings(count);
    Timings wakes = new Timings(count);
    CompletableFuture<Integer> waiter =
        apart(
            () -> {
              int done = loops.timed(WAITER, 0, 0, wakes, count);
              loops.leave(WAITER, 0);
              return done;
            });
    CompletableFuture<Integer> notifier =
        apart(
            () -> {
              for (int call = 0; call < count; call++) {
                Timings one = new Timings(1);
                loops.timed(NOTIFIER, 0, 0, one, 1);
                calls.set(call, one.fromNs[0], one.toNs[0]);
                loops.between(NOTIFIER, 0);
              }
              loops.leave(NOTIFIER, 0);
              return count;
            });
    assertEquals(count, end(notifier));
    int answers = end(waiter);
    long last = 1;
    for (int call = 0; call < count; call++) {
      assertTrue(last <= calls.fromNs[call] && calls.fromNs[call] <= calls.toNs[call]);
      last = calls.toNs[call];
    }
    last = 0;
    for (int answer = 0; answer < answers; answer++) {
      if (wakes.toNs[answer] > 0) {
        assertTrue(contains(calls.fromNs, wakes.fromNs[answer]), "begins with a call");
        assertTrue(wakes.fromNs[answer] > last, "with one that it had not seen");
        assertTrue(wakes.toNs[answer] >= wakes.fromNs[answer]);
        last = wakes.toNs[answer];
      }
    }
    assertFound(count);
  }

  private static boolean contains(long[] times, long time) {
    return Arrays.stream(times).anyMatch(each -> each == time);
  }

  @Test
  void timesNoWaitThatThereWasNot() throws Exception {
    Timings timings = new Timings(1);
    loops.timed(NOTIFIER, 0, 0, timings, 1);
    timings.leaveOut(0);
    end(ordered(NOTIFIER, 0, 0));
    assertEquals(1, end(apart(() -> loops.timed(WAITER, 0, 0, timings, 1))));
    assertEquals(0, timings.toNs[0]);
  }

  @Test
  void stopEndsAWaiterAndLeavesNothingToCompare() throws Exception {
    CompletableFuture<Integer> waiting = ordered(WAITER, 0, FOR_EVER);
    CompletableFuture<Integer> timing = apart(() -> loops.timed(WAITER, 1, 0, new Timings(9), 9));
    stop();
    assertEquals(0, end(waiting));
    assertEquals(0, end(timing));
    assertEquals(Map.of(), loops.counts(0));
  }

  @Test
  void pausesOnlyAfterTheWarmUp() throws Exception {
    long ms = 1_000_000;
    loops = asked.loops(1, 2, Map.of("pause", 20_000L));
    end(ordered(NOTIFIER, 0, 1000)); // 20 s with pauses
    end(ordered(WAITER, 0, FOR_EVER));
    loops.warmedUp();
    long start = System.nanoTime();
    end(ordered(NOTIFIER, 0, 3));
    assertTrue(System.nanoTime() - start >= 60 * ms);
    start = System.nanoTime();
    loops.between(NOTIFIER, 0);
    assertTrue(System.nanoTime() - start >= 20 * ms);
  }

  @Test
  void sixteenPairsKeepToThemselves() throws Exception {
    loops = asked.loops(1, 32);
    List<CompletableFuture<Integer>> lives = new ArrayList<>();
    for (int thread = 0; thread < 32; thread += 2) {
      lives.add(ordered(thread + 1, 0, FOR_EVER));
      lives.add(ordered(thread, 0, thread + 1));
    }
    for (CompletableFuture<Integer> life : lives) {
      end(life);
    }
    assertFound(16 * 16);
    assertEquals(16 * 16, loops.progress(0));
  }
}
