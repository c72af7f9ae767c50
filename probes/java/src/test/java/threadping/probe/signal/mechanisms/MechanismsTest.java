package threadping.probe.signal.mechanisms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static threadping.probe.platform.Places.held;
import static threadping.probe.platform.Places.spread;
import static threadping.probe.platform.Places.written;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Variant;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Places;
import threadping.probe.signal.Cells;
import threadping.probe.signal.Signal;

/**
 * What is asked of the mechanisms themselves, since Loops take turns whole and in order: what a
 * turn's two parts promise, and what shares a line. Every mechanism must be in the table.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class MechanismsTest {
  /** What a mechanism's name promises about the words that its two sides write. */
  private enum Layout {
    ONE_WORD,
    ONE_LINE,
    TWO_LINES,

    /** Behind one lock, or inside java.util.concurrent or the kernel. */
    NO_PROMISE
  }

  private static final Map<String, Layout> LAYOUTS = new HashMap<>();

  static {
    LAYOUTS.put("cas-one-line", Layout.ONE_WORD);
    for (String name : List.of("add", "seqcst", "release", "relaxed")) {
      LAYOUTS.put(name + "-one-line", Layout.ONE_LINE);
    }
    for (String name :
        List.of(
            "seqcst-two-lines",
            "release-two-lines",
            "park",
            "semaphore",
            "spin-then-park",
            "virtual-park")) {
      LAYOUTS.put(name, Layout.TWO_LINES);
    }
    for (String name :
        List.of(
            "condition",
            "monitor",
            "exchanger",
            "synchronous-queue",
            "array-blocking-queue",
            "pipe",
            "socketpair",
            "tcp-loopback")) {
      LAYOUTS.put(name, Layout.NO_PROMISE);
    }
  }

  /** Where a side goes on only when it meets the other. */
  private static final Set<String> MEETINGS = Set.of("exchanger", "synchronous-queue");

  private final String name;
  private final Loops loops;
  private final Cells cells;

  MechanismsTest(Variant asked) {
    name = asked.mechanism.name;
    loops = asked.loops(3, 2);
    cells = (Cells) held(loops, "cells");
  }

  static List<Variant> variants() {
    return Variant.of(Signal.EXPERIMENT);
  }

  // ---- turns ----

  @Test
  void aTurnIsAWaitAndATelling() {
    assumeFalse(MEETINGS.contains(name));
    boolean tellsAtOnce = name.equals("cas-one-line"); // the swap that ends the wait also tells
    for (int expected = 0; expected < 10; expected++) {
      int side = expected % 2;
      assertEquals(expected, cells.handOvers(1));
      if (expected > 0) { // nobody has told ping to begin
        assertEquals(expected, cells.await(cells.place(1 - side, 1), expected));
        assertEquals(expected + (tellsAtOnce ? 1 : 0), cells.handOvers(1));
        cells.tell(cells.place(side, 1), expected);
      } else {
        assertEquals(0, cells.turn(side, 1, 0));
      }
    }
    assertEquals(List.of(0L, 10L, 0L), handOvers());
  }

  private List<Long> handOvers() {
    return List.of(cells.handOvers(0), cells.handOvers(1), cells.handOvers(2));
  }

  /** What a thread of its own finds out. */
  private static CompletableFuture<Long> apart(LongSupplier turn) {
    CompletableFuture<Long> seen = new CompletableFuture<>();
    Thread thread = new Thread(() -> seen.complete(turn.getAsLong()));
    thread.setDaemon(true);
    thread.start();
    return seen;
  }

  private static long end(CompletableFuture<Long> seen) throws Exception {
    return seen.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aSecondSignalThatCameTooEarlyIsSeen() throws Exception {
    CompletableFuture<Long> ping =
        apart(
            () -> {
              cells.turn(Cells.PING, 0, 0);
              return cells.awaitAnswer(cells.place(Cells.PONG, 0), 2);
            });
    assertEquals(1, end(apart(() -> cells.turn(Cells.PONG, 0, 1))));
    assertEquals(2, end(ping));
    Thread second = new Thread(() -> cells.turn(Cells.PING, 0, 2));
    second.start();
    while (second.isAlive() && second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait(); // until it has told, or waits to be met
    }
    assertEquals(3, end(apart(() -> cells.turn(Cells.PONG, 0, 1))));
    second.join();
  }

  @Test
  void stopEndsWithPoison() throws Exception {
    CompletableFuture<Long> pong = apart(() -> cells.turn(Cells.PONG, 0, 1));
    CompletableFuture<Long> ping = apart(() -> cells.turn(Cells.PING, 1, 2));
    while (!pong.isDone() || !ping.isDone()) {
      cells.stop(0);
      cells.stop(1);
      Thread.sleep(1);
    }
    assertTrue(end(pong) >= Cells.POISON, "pong saw " + end(pong));
    assertTrue(end(ping) >= Cells.POISON, "ping saw " + end(ping));
  }

  // ---- layout ----

  @Test
  void sharesTheLinesThatItsNamePromises() {
    assertNotNull(LAYOUTS.get(name), "say above what shares a line");
    List<Long> written = cells instanceof Mailboxes ? valuesOfMailboxes() : wordsOfTurns();
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
      default:
    }
  }

  /** Where the two sides' first turns on a line change something. */
  private List<Long> wordsOfTurns() {
    List<Long> words = new ArrayList<>();
    for (int each : new int[] {Cells.PING, Cells.PONG}) {
      words.addAll(written(loops.memory(), () -> loops.plain(each, 0, 1)));
    }
    assertEquals(2, words.size(), "nothing, or outside the pool, or more than a word");
    return words;
  }

  /** The words outside the heap into which values go, where there are any. */
  private List<Long> valuesOfMailboxes() {
    Mailbox[] boxes = (Mailbox[]) held(cells, "boxes");
    return LAYOUTS.get(name) == Layout.NO_PROMISE
        ? List.of()
        : List.of((Long) held(boxes[0], "value"), (Long) held(boxes[1], "value"));
  }

  /** What the watchdog reads: a side writes its own. */
  @Test
  void sidesThatSleepCountWhatTheySentOnLinesOfTheirOwn() {
    if (cells instanceof Mailboxes) {
      Lines sent = (Lines) held(cells, "sent");
      assertEquals(2, spread(List.of(sent.first(0), sent.second(0)), Lines.LINE_PAIR));
    }
  }

  @Test
  void theTableNamesNothingElse() {
    Set<String> all =
        Mechanisms.ALL.stream().map((Mechanism each) -> each.name).collect(Collectors.toSet());
    assertEquals(all, LAYOUTS.keySet());
  }
}
