package threadping.probe.mechanisms.signals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static threadping.probe.engine.Cast.apart;
import static threadping.probe.engine.Cast.end;
import static threadping.probe.platform.Places.held;
import static threadping.probe.platform.Places.spread;
import static threadping.probe.platform.Places.written;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.Signal;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Places;

/**
 * The contract of every pair: turns one after the other, and what shares a line. One that is added
 * to the list answers these questions too.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class PairsTest {
  /** What a mechanism's name says about the words that its two sides write. */
  private enum Layout {
    ONE_WORD,
    ONE_LINE,
    TWO_LINES
  }

  private static final Map<String, Layout> LAYOUTS = new HashMap<>();

  static {
    LAYOUTS.put("cas-one-line", Layout.ONE_WORD);
    for (String name : List.of("add", "xadd", "seqcst", "release", "relaxed")) {
      LAYOUTS.put(name + "-one-line", Layout.ONE_LINE);
    }
    LAYOUTS.put("seqcst-two-lines", Layout.TWO_LINES);
    LAYOUTS.put("release-two-lines", Layout.TWO_LINES);
    Signals.BLOCKING.forEach(signal -> LAYOUTS.put(signal.name(), Layout.TWO_LINES));
  }

  /** Where a side goes on only when it meets the other. */
  private static final Set<String> MEETINGS = Set.of("exchanger", "synchronous-queue");

  private final String name;
  private final Pairs pairs;

  PairsTest(Made asked) {
    name = asked.name();
    pairs = asked.pairs().apply(3);
  }

  static List<Made> variants() {
    return Made.all();
  }

  // ---- turns ----

  @Test
  void aTurnIsAWaitAndATelling() throws InterruptedException {
    assumeFalse(MEETINGS.contains(name));
    boolean publishesAtOnce =
        name.equals("cas-one-line"); // the swap that ends the wait also publishes
    for (int expected = 0; expected < 10; expected++) {
      int side = expected % 2;
      assertEquals(expected, pairs.handoffs(1));
      if (expected > 0) { // nobody has signalled ping to begin
        assertEquals(expected, pairs.await(pairs.place(1 - side, 1), expected));
        assertEquals(expected + (publishesAtOnce ? 1 : 0), pairs.handoffs(1));
        pairs.publish(pairs.place(side, 1), expected);
      } else {
        assertEquals(0, turn(side, 1, 0));
      }
    }
    assertEquals(List.of(0L, 10L, 0L), handoffs());
  }

  private long turn(int side, int line, long expected) throws InterruptedException {
    return pairs.turn(pairs.place(side, line), pairs.place(1 - side, line), expected);
  }

  private List<Long> handoffs() {
    return List.of(pairs.handoffs(0), pairs.handoffs(1), pairs.handoffs(2));
  }

  @Test
  void aSecondSignalThatCameTooEarlyIsSeen() throws Exception {
    CompletableFuture<Long> ping =
        apart(
            () -> {
              turn(Pairs.PING, 0, 0);
              return pairs.awaitAnswer(pairs.place(Pairs.PONG, 0), 2);
            });
    assertEquals(1, end(apart(() -> turn(Pairs.PONG, 0, 1))));
    assertEquals(2, end(ping));
    Thread second = new Thread(new FutureTask<>(() -> turn(Pairs.PING, 0, 2)));
    second.setDaemon(true);
    second.start();
    while (second.isAlive() && second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait(); // until it has published, or waits to be met
    }
    assertEquals(3, end(apart(() -> turn(Pairs.PONG, 0, 1))));
    second.join();
  }

  @Test
  void stopEndsWithPoison() throws Exception {
    CompletableFuture<Long> pong = apart(() -> turn(Pairs.PONG, 0, 1));
    CompletableFuture<Long> ping =
        apart(
            () -> {
              turn(Pairs.PING, 1, 0);
              return turn(Pairs.PING, 1, 2);
            });
    while (!pong.isDone() || !ping.isDone()) {
      pairs.stop(0);
      pairs.stop(1);
      Thread.sleep(1);
    }
    assertTrue(end(pong) >= Signal.STOPPED, "pong saw " + end(pong));
    assertTrue(end(ping) >= Signal.STOPPED, "ping saw " + end(ping));
  }

  // ---- layout ----

  @Test
  void sharesTheLinesThatItsNameSays() throws InterruptedException {
    assertNotNull(LAYOUTS.get(name), "say above what shares a line");
    List<Long> written = pairs instanceof Pairs.OfSignals ? wordsOfSignals() : wordsOfTurns();
    int words = LAYOUTS.get(name) == Layout.ONE_WORD ? 1 : 2;
    switch (LAYOUTS.get(name)) {
      case ONE_WORD:
      case ONE_LINE:
        assertEquals(words, spread(written, Long.BYTES));
        assertEquals(1, spread(written, Places.LINE));
        break;
      case TWO_LINES:
        assertEquals(2, spread(written, Lines.LINE_PAIR));
        break;
    }
  }

  /** Where the two sides' first turns on a line change something. */
  private List<Long> wordsOfTurns() throws InterruptedException {
    List<Long> words = new ArrayList<>();
    for (int each : new int[] {Pairs.PING, Pairs.PONG}) {
      words.addAll(written(pairs.memory(), () -> turn(each, 0, each)));
    }
    assertEquals(2, words.size(), "nothing, or outside the pool, or more than a word");
    return words;
  }

  private List<Long> wordsOfSignals() {
    Signal[] signals = (Signal[]) held(pairs, "signals");
    return List.of(((SignalInWord) signals[0]).word, ((SignalInWord) signals[1]).word);
  }

  @Test
  void theTableNamesNothingElse() {
    Set<String> all = Made.all().stream().map(Made::name).collect(Collectors.toSet());
    assertEquals(all, LAYOUTS.keySet());
  }
}
