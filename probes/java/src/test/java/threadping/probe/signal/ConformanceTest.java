package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static threadping.probe.crew.Players.end;

import java.util.List;
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
import threadping.probe.mechanisms.signals.Pairs;
import threadping.probe.message.Result;

/**
 * The same questions to every mechanism with every wait; one that is added to the list answers them
 * too. Both sides are always driven from threads of their own: some mechanisms hand over only where
 * two threads meet.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int LINES = 3;

  private final Variant asked;
  private final Loops loops;
  private final Players players = new Players(false);

  ConformanceTest(Variant asked) {
    this.asked = asked;
    this.loops = asked.loops(LINES, 2);
  }

  static List<Variant> variants() {
    return Variant.of(Signal.EXPERIMENT);
  }

  private CompletableFuture<Integer> apart(Players.Part part) {
    return players.apart(part);
  }

  /** Ping leaves the line when it has done, as the crew's first thread does. */
  private CompletableFuture<Integer> ping(int line, int count) {
    return apart(
        () -> {
          int taken = loops.plain(Pairs.PING, line, count);
          if (taken == count) {
            loops.leave(Pairs.PING, line);
          }
          return taken;
        });
  }

  private CompletableFuture<Integer> pong(int line, int count) {
    return apart(() -> loops.plain(Pairs.PONG, line, count));
  }

  @AfterEach
  void stop() throws InterruptedException {
    players.stop(loops, LINES);
  }

  private List<Long> progress() {
    return List.of(loops.progress(0), loops.progress(1), loops.progress(2));
  }

  @Test
  void losesAndDoublesNothing() throws Exception {
    long made = 0;
    for (int count : new int[] {1, 2, 3, 100}) {
      for (int line = 0; line < LINES; line++) {
        CompletableFuture<Integer> ping = ping(line, count);
        CompletableFuture<Integer> pong = pong(line, count);
        assertEquals(count, end(ping));
        assertEquals(count, end(pong));
        made += 2 * count;
      }
    }
    Result.Held handOvers = loops.counts(1234).get("hand-overs");
    assertEquals(1234, handOvers.made);
    assertEquals(made, handOvers.found);
    assertTrue(handOvers.exact);
  }

  @Test
  void aTurnOnOneLineLeavesTheOthersAlone() throws Exception {
    CompletableFuture<Integer> ping = ping(1, 1);
    assertEquals(1, end(pong(1, 1)));
    assertEquals(1, end(ping));
    assertEquals(List.of(0L, 2L, 0L), progress());
  }

  /** The timings are a chain that begins where the window was opened. */
  @Test
  void timesRoundTripsWithoutAGap() throws Exception {
    int count = 50;
    Timings timings = new Timings(count + 1);
    long opened = System.nanoTime();
    CompletableFuture<Integer> ping =
        apart(
            () -> {
              int taken = loops.timed(Pairs.PING, 0, opened, timings, count);
              loops.leave(Pairs.PING, 0);
              return taken;
            });
    assertEquals(count, end(pong(0, count)));
    assertEquals(count, end(ping));
    long last = opened;
    for (int each = 0; each < count; each++) {
      assertEquals(last, timings.fromNs[each]);
      assertTrue(timings.toNs[each] >= last);
      last = timings.toNs[each];
    }
    assertTrue(last <= System.nanoTime());
    assertEquals(0, timings.fromNs[count]);
    assertEquals(0, timings.toNs[count]);
    assertEquals(2 * count, loops.progress(0));
  }

  /**
   * What a side wrote before its hand-over, the other sees after its own; a data race otherwise.
   */
  @Test
  void ordersWhatWasWrittenBefore() throws Exception {
    assumeFalse(asked.mechanism.name.equals("relaxed-one-line"), "it promises none");
    int[] written = new int[400];
    CompletableFuture<Integer> ping = apart(() -> writing(Pairs.PING, written));
    CompletableFuture<Integer> pong = apart(() -> writing(Pairs.PONG, written));
    assertEquals(200, end(ping));
    assertEquals(200, end(pong));
  }

  /** Counts the turns that found what was written before. */
  private int writing(int side, int[] written) {
    int right = 0;
    for (int turn = side; turn < written.length; turn += 2) {
      written[turn] = turn + 1;
      loops.plain(side, 0, 1);
      right += turn == 0 || written[turn - 1] == turn ? 1 : 0;
    }
    if (side == Pairs.PING) {
      loops.leave(Pairs.PING, 0);
    }
    return right;
  }

  @Test
  void stopEndsBothSidesWhereverTheyAre() throws Exception {
    for (int point : new int[] {0, 1, 7}) {
      Loops fresh = asked.loops(1, 2);
      CompletableFuture<Integer> ping = apart(() -> fresh.plain(Pairs.PING, 0, FOR_EVER));
      CompletableFuture<Integer> pong = apart(() -> fresh.plain(Pairs.PONG, 0, FOR_EVER));
      while (fresh.progress(0) < point && !players.areOver()) {
        Thread.yield();
      }
      players.stop(fresh, 1);
      int difference = end(ping) - end(pong);
      assertTrue(difference == 0 || difference == 1, end(ping) + " and " + end(pong));
      long made = end(ping) + end(pong);
      fresh.counts(made).values().forEach(held -> assertEquals(made, held.found));
    }
  }

  @Test
  void stopEndsASideThatWaitsAlone() throws Exception {
    CompletableFuture<Integer> pong = pong(1, FOR_EVER);
    CompletableFuture<Integer> ping = ping(2, FOR_EVER);
    stop();
    assertEquals(0, end(pong));
    assertTrue(end(ping) <= 1, "ping took " + end(ping));
  }
}
