package threadping.probe.experiments.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.engine.Cast.end;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.TrialResult;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Role;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/** The same questions to every signal and every queue with every wait. */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int SENDER = 0;
  private static final int RECEIVER = 1;
  private static final long MS = 1_000_000;

  private final Variant asked;
  private Stage stage;
  private Cast cast;

  ConformanceTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(LoadExperiment.EXPERIMENT).stream()
        .filter(one -> one.hasDefaults() || one.mechanism.name().equals("release-one-line"))
        .toList();
  }

  /** What does not hang on the mechanism: of one that spins, one that sleeps, and a queue. */
  private void assumeSpeaksForTheOthers() {
    assumeTrue(
        asked.hasDefaults()
            && (asked.isFirstOfItsKind() || asked.mechanism.name().equals("disruptor")),
        "asked of one that speaks for the others");
  }

  private void cast(Map<String, Object> more) throws Exception {
    stage = asked.stage(1, 2, more);
    cast = new Cast(stage, false).of(2);
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (cast != null) {
      cast.stop(1);
    }
  }

  /** One of what a receiver timed: all its numbers by their names. */
  private static List<Map<String, Long>> timed(Noted samples) {
    List<Map<String, Long>> all =
        Stream.generate(() -> (Map<String, Long>) new HashMap<String, Long>())
            .limit(samples.size())
            .collect(Collectors.toList());
    List<String> names = LoadReceiver.NUMBERS.stream().map(Role.NumberInfo::name).toList();
    int message = -1;
    for (int each = 0; each < samples.saidNumbers(); each++) {
      message += samples.index(each) == 0 ? 1 : 0; // what each begins with
      all.get(message).put(names.get(samples.index(each)), samples.number(each));
    }
    for (int each = 0; each < samples.size(); each++) {
      all.get(each).put("due", samples.from(each));
      all.get(each).put("latency", samples.to(each) - samples.from(each));
    }
    return all;
  }

  /**
   * Sends {@code count} on a schedule, besides those that come before it; what was timed of them.
   */
  private List<Map<String, Long>> send(int count) throws Exception {
    CompletableFuture<Integer> receiver = cast.runAndLeave(RECEIVER, 0, 0, 1);
    int before = end(cast.run(SENDER, 0, 0, 1));
    for (int sent = 0; sent < count; ) {
      sent += end(cast.run(SENDER, 0, count - sent, 1));
    }
    end(cast.leave(SENDER, 0));
    assertEquals(before + count, end(receiver));
    List<Map<String, Long>> all = timed(cast.samples(RECEIVER));
    assertEquals(before + count, all.size());
    return all.subList(before, before + count);
  }

  @Test
  void losesNothingInAWholeTrial() {
    assumeTrue(asked.isFirstOfItsKind() && asked.hasDefaults(), "else asked in tests/contract");
    TrialResult result = asked.request(2, Map.of()).run(LoadExperiment.EXPERIMENT);
    assertFalse(result.cut());
    TrialResult.Held messages = result.counts().get("messages");
    assertTrue(messages.made() > 0 && messages.exact());
    assertEquals(messages.made(), messages.found());
    assertTrue(
        result.warmup().ops() + result.measured().ops() <= messages.made(),
        "none is counted twice");
    long timed = all(result.distributions().get("latency"));
    assertTrue(timed <= result.measured().ops(), timed + " of " + result.measured());
    for (String part : List.of("due-to-sent", "sent-to-received")) {
      TrialResult.Distribution found = result.distributions().get(part);
      assertEquals(timed, all(found));
      assertEquals("ns", found.unit());
    }
  }

  private static long all(TrialResult.Distribution distribution) {
    return distribution.samples() + distribution.negative();
  }

  @Test
  void theLatencyOfEachMessageIsItsTwoParts() throws Exception {
    cast(Map.of("rate", 20_000L));
    for (Map<String, Long> message : send(50)) {
      assertEquals(
          message.get("latency"), message.get("due-to-sent") + message.get("sent-to-received"));
      assertTrue(message.get("due-to-sent") >= 0, "none is sent before it is due");
    }
  }

  /** What comes late stays due when it was, and is sent at once. */
  @Test
  void aSenderThatIsStalledMovesNothingInItsSchedule() throws Exception {
    assumeSpeaksForTheOthers();
    cast(Map.of("rate", 1_000L));
    CompletableFuture<Integer> receiver = cast.runAndLeave(RECEIVER, 0, 0, 1);
    int before = end(cast.run(SENDER, 0, 0, 1));
    Thread.sleep(30);
    for (int sent = 0; sent < 40; ) {
      sent += end(cast.run(SENDER, 0, 40 - sent, 1));
    }
    end(cast.leave(SENDER, 0));
    end(receiver);
    List<Map<String, Long>> all = timed(cast.samples(RECEIVER)).subList(before, before + 40);
    for (int each = 0; each < all.size(); each++) {
      assertEquals(all.get(0).get("due") + each * MS, all.get(each).get("due"));
      long late = 29 * MS - each * MS;
      assertTrue(all.get(each).get("due-to-sent") >= late, "message " + each);
      assertTrue(all.get(each).get("latency") >= late, "message " + each);
    }
  }

  @Test
  void itsWaitForSpaceIsTheSendersLateness() throws Exception {
    assumeTrue(asked.hasDefaults(), "asked once of each mechanism");
    cast(Map.of("size", 4L, "rate", 50_000L));
    CompletableFuture<Integer> sending = cast.run(SENDER, 0, FOR_EVER, 1);
    Thread.sleep(20);
    assertFalse(sending.isDone());
    long spaceNs = System.nanoTime();
    int taken = end(cast.run(RECEIVER, 0, 5, 1));
    assertTrue(taken >= 5);
    Map<String, Long> fifth = timed(cast.samples(RECEIVER)).get(4);
    assertTrue(fifth.get("due") + fifth.get("due-to-sent") >= spaceNs, fifth + " at " + spaceNs);
    assertTrue(stage.progress(0) >= 5);
  }

  /** A fixed distance of a power of two would meet always the same one of a burst of eight. */
  @Test
  void timesOneInSoManyWhateverItsPlaceInABurst() throws Exception {
    assumeSpeaksForTheOthers();
    cast(Map.of("rate", 4_000_000L));
    CompletableFuture<Integer> receiver = cast.runAndLeave(RECEIVER, 0, 0, 8);
    int sent = end(cast.run(SENDER, 0, 0, 8));
    end(cast.leave(SENDER, 0));
    assertEquals(sent, end(receiver));
    Noted samples = cast.samples(RECEIVER);
    assertTrue(samples.readings() <= samples.size() + 1, "the end may have been one to time");
    assertEquals(0, cast.samples(SENDER).readings(), "its waiting is no cost of timing");
    int[] timed = new int[8];
    for (int each = 0; each < samples.size(); each++) {
      timed[(int) (samples.from(each) / 1_000 % 8)]++; // due a microsecond apart
    }
    for (int place = 0; place < 8; place++) {
      assertEquals(sent / 64.0, timed[place], 10 + sent / 200.0, "place " + place);
    }
  }

  /** After a stall the engine wants as much at once as it saw of those that had queued. */
  @Test
  void runsForNoLongerThanTheScheduleWarrants() throws Exception {
    assumeSpeaksForTheOthers();
    cast(Map.of());
    CompletableFuture<Integer> receiver = cast.runAndLeave(RECEIVER, 0, 0, 64);
    int before = end(cast.run(SENDER, 0, 0, 64));
    assertEquals(1, end(cast.run(SENDER, 0, 4096, 64)));
    end(cast.leave(SENDER, 0));
    assertEquals(before + 1, end(receiver));
    assertEquals(before + 1, cast.samples(RECEIVER).size(), "and as few untimed");
  }

  /** Of a gap as long as its name says, or longer, and shorter than the next. */
  @Test
  void reportsWhatCameAfterWhichGap() throws Exception {
    assumeSpeaksForTheOthers();
    cast(Map.of("arrivals", "idle"));
    List<Long> bounds = List.of(10_000L, 30_000L, 100_000L, 300_000L, MS, 3 * MS, 10 * MS);
    List<Map<String, Long>> all = send(12);
    for (int each = 1; each < all.size(); each++) {
      Map<String, Long> message = all.get(each);
      long gap = message.get("due") - all.get(each - 1).get("due");
      int at = (int) bounds.stream().filter(bound -> gap >= bound).count();
      String wanted =
          gap >= 30 * MS
              ? "latency-after-30ms"
              : LoadReceiver.NUMBERS.get(Math.max(at, 1) + 1).name();
      assertEquals(message.get("latency"), message.get(wanted), wanted + " after " + gap);
      assertEquals(5, message.size(), "in one of them");
    }
  }

  @Test
  void stopEndsAReceiverThatWaitsAndLeavesNothingToCompare() throws Exception {
    cast(Map.of());
    CompletableFuture<Integer> waiting = cast.runAndLeave(RECEIVER, 0, FOR_EVER);
    Thread.sleep(2);
    stop();
    assertEquals(0, end(waiting));
    assertEquals(Map.of(), stage.counts(new long[2]));
  }

  @Test
  void stopEndsASenderThatHasNoSpace() throws Exception {
    assumeTrue(asked.hasDefaults(), "asked once of each mechanism");
    cast(Map.of("size", 4L));
    CompletableFuture<Integer> sending = cast.run(SENDER, 0, FOR_EVER, 1);
    Thread.sleep(2);
    stop();
    assertTrue(end(sending) < FOR_EVER);
  }
}
