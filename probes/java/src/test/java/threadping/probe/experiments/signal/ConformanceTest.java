package threadping.probe.experiments.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.engine.Cast.end;

import java.util.List;
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
import threadping.probe.mechanisms.signals.Pairs;

/**
 * Both sides' loops, with every wait, on a signal, and where two threads meet; what each mechanism
 * guarantees is checked where those are. Both sides are always driven from threads of their own.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int LINES = 3;

  private final Stage stage;
  private final Cast cast;

  ConformanceTest(Variant asked) throws Exception {
    this.stage = asked.stage(LINES, 2);
    this.cast = new Cast(stage, false).of(2);
  }

  static List<Variant> variants() {
    return Variant.of(SignalExperiment.EXPERIMENT).stream()
        .filter(one -> one.isFirstOfItsKind() || one.mechanism.name().equals("exchanger"))
        .toList();
  }

  /** Ping leaves the line when it has done, as a leading thread does. */
  private CompletableFuture<Integer> ping(int line, int count) {
    return cast.runAndLeave(Pairs.PING, line, count);
  }

  private CompletableFuture<Integer> pong(int line, int count) {
    return cast.run(Pairs.PONG, line, count, 0);
  }

  @AfterEach
  void stop() throws InterruptedException {
    cast.stop(LINES);
  }

  private List<Long> progress() {
    return List.of(stage.progress(0), stage.progress(1), stage.progress(2));
  }

  @Test
  void losesAndDoublesNothing() throws Exception {
    long made = 0;
    for (int count : new int[] {1, 2, 5}) {
      for (int line = 0; line < LINES; line++) {
        CompletableFuture<Integer> ping = ping(line, count);
        CompletableFuture<Integer> pong = pong(line, count);
        assertEquals(count, end(ping));
        assertEquals(count, end(pong));
        made += 2 * count;
      }
    }
    Held handoffs = stage.counts(new long[] {1230, 4}).get("handoffs");
    assertEquals(1234, handoffs.made());
    assertEquals(made, handoffs.found());
    assertTrue(handoffs.exact());
  }

  @Test
  void aTurnOnOneLineLeavesTheOthersAlone() throws Exception {
    CompletableFuture<Integer> ping = ping(1, 1);
    assertEquals(1, end(pong(1, 1)));
    assertEquals(1, end(ping));
    assertEquals(List.of(0L, 2L, 0L), progress());
  }

  /** The samples are a chain that begins where the window was opened. */
  @Test
  void timesRoundTripsWithoutAGap() throws Exception {
    int count = 10;
    long before = System.nanoTime();
    CompletableFuture<Integer> ping = cast.run(Pairs.PING, 0, count, 1);
    CompletableFuture<Integer> left = cast.leave(Pairs.PING, 0);
    assertEquals(count, end(pong(0, count)));
    assertEquals(count, end(ping));
    end(left);
    Noted samples = cast.samples(Pairs.PING);
    assertEquals(count, samples.size());
    assertEquals(count, samples.readings());
    assertTrue(samples.from(0) >= before);
    for (int each = 0; each < count; each++) {
      assertTrue(samples.to(each) >= samples.from(each));
      assertTrue(each == 0 || samples.from(each) == samples.to(each - 1));
    }
    assertTrue(samples.to(count - 1) <= System.nanoTime());
    assertEquals(0, cast.samples(Pairs.PONG).size(), "ping alone times");
    assertEquals(2 * count, stage.progress(0));
  }

  @Test
  void stopEndsBothSidesWhereverTheyAre() throws Exception {
    CompletableFuture<Integer> ping = cast.run(Pairs.PING, 0, FOR_EVER, 0);
    CompletableFuture<Integer> pong = cast.run(Pairs.PONG, 0, FOR_EVER, 0);
    while (stage.progress(0) < 7 && !cast.isOver()) {
      Thread.yield();
    }
    stop();
    int difference = end(ping) - end(pong);
    assertTrue(difference == 0 || difference == 1, end(ping) + " and " + end(pong));
  }

  @Test
  void stopEndsASideThatWaitsAlone() throws Exception {
    CompletableFuture<Integer> pong = pong(1, FOR_EVER);
    CompletableFuture<Integer> ping = cast.run(Pairs.PING, 2, FOR_EVER, 0);
    stop();
    assertEquals(0, end(pong));
    assertTrue(end(ping) <= 1, "ping took " + end(ping));
  }
}
