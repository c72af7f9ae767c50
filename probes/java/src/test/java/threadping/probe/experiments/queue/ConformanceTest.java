package threadping.probe.experiments.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.MS;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Variant;

/**
 * The same questions to every mechanism with every wait; one that is added to the list answers them
 * too.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  private final Variant asked;
  private Stage stage;
  private Cast cast;

  ConformanceTest(Variant asked) {
    this.asked = asked;
  }

  /** Of those that wait alike one. */
  private static final Set<String> WITH_EVERY_WAIT = Set.of("disruptor", "jctools-spsc");

  static List<Variant> variants() {
    return Variant.of(QueueExperiment.EXPERIMENT).stream()
        .filter(one -> one.hasDefaults() || WITH_EVERY_WAIT.contains(one.mechanism.name()))
        .toList();
  }

  /** What is asked of every mechanism once, since it does not hang on how it waits. */
  private void assumeDefaults() {
    assumeTrue(asked.hasDefaults(), "asked once of each mechanism");
  }

  // ---- whole trials ----

  private TrialRequest request(int threads, Map<String, Object> more) {
    return asked.request(threads, more);
  }

  private TrialResult sound(int threads, Map<String, Object> more) {
    return sound(request(threads, more).run(QueueExperiment.EXPERIMENT));
  }

  /** What must be true of every trial that came to its end. */
  private static TrialResult sound(TrialResult result) {
    assertFalse(result.cut());
    assertTrue(result.measured().ops() > 0);
    TrialResult.Held messages = result.counts().get("messages");
    assertTrue(messages.made() > 0);
    assertEquals(messages.made(), messages.found());
    assertTrue(messages.exact());
    assertEquals(Set.of("latency", "batch"), result.distributions().keySet());
    TrialResult.Distribution batch = result.distributions().get("batch");
    assertEquals("messages", batch.unit());
    assertTrue(batch.values().length == 0 || batch.values()[0] > 0, "a take of nothing is none");
    return result;
  }

  /** The same, with what was asked for. */
  private TrialResult timed(String distribution, Map<String, Object> more) {
    return sound(
        Experiments.until(
            result -> result.distributions().get(distribution).values().length > 0,
            request(2, more),
            QueueExperiment.EXPERIMENT));
  }

  private String refusal(int threads, Map<String, Object> more) {
    return assertFails(
        Failure.Code.BAD_REQUEST, () -> request(threads, more).run(QueueExperiment.EXPERIMENT));
  }

  // What is measured with each choice and number is asked of all languages (tests/contract).

  /** The published latency test: nothing is sent before the last one was taken by all. */
  @Test
  void takesOneAtATimeWhereOneIsInFlight() {
    assumeDefaults();
    TrialResult result = timed("batch", Map.of("depth", 1L));
    assertArrayEquals(new long[] {1}, result.distributions().get("batch").values());
  }

  @Test
  void publishesBatches() {
    assumeDefaults();
    assumeTrue(asked.has("batch"), "it has no such parameter");
    TrialResult result = sound(2, Map.of("batch", 10L, "size", 64L, "message-bytes", 24L));
    boolean isWhole = !asked.has("producers"); // several publish place by place
    for (long size : result.distributions().get("batch").values()) {
      assertTrue(size <= 64 && (size % 10 == 0 || !isWhole), "a batch of " + size);
    }
  }

  @Test
  void hasSeveralProducers() {
    assumeDefaults();
    assumeTrue(asked.has("producers"), "it has no such parameter");
    TrialResult result = sound(4, Map.of("producers", 3L, "depth", 5L, "message-bytes", 24L));
    assertEquals(
        List.of("producer", "consumer", "producer", "producer"),
        List.of(role(result, 0), role(result, 1), role(result, 2), role(result, 3)));
  }

  @Test
  void hasSeveralConsumersWhichAllSeeAll() {
    assumeDefaults();
    assumeTrue(asked.has("consumers"), "it has no such parameter");
    TrialResult result = sound(3, Map.of("consumers", 2L, "depth", 5L));
    assertEquals(
        List.of("producer", "consumer", "consumer"),
        List.of(role(result, 0), role(result, 1), role(result, 2)));
    assertTrue(result.measured().ops() > 0, "what arrives counts");
  }

  private static String role(TrialResult result, int thread) {
    return result.threads().get(thread).role();
  }

  // ---- what is refused ----

  @Test
  void refusesOtherNumbersOfThreads() {
    assumeDefaults();
    assertEquals("1 producer and 1 consumer are 2 threads, not 3.", refusal(3, Map.of()));
    if (asked.has("producers")) {
      assertEquals(
          "3 producers and 1 consumer are 4 threads, not 2.", refusal(2, Map.of("producers", 3L)));
    }
    if (asked.has("producers") && asked.has("consumers")) {
      assertEquals(
          "Of 2 producers and 3 consumers only one kind may be more than 1.",
          refusal(5, Map.of("producers", 2L, "consumers", 3L)));
    }
  }

  @Test
  void hasASizeThatIsNoPowerOfTwoOrRefusesIt() {
    assumeDefaults();
    String name = asked.mechanism.name();
    if (name.contains("blocking") || name.contains("transfer")) {
      sound(2, Map.of("size", 1000L));
    } else {
      assertEquals(
          "The parameter 'size' of " + name + " must be a power of two, such as 1024, not 1000.",
          refusal(2, Map.of("size", 1000L)));
    }
  }

  @Test
  void refusesWhatDoesNotFitTogether() {
    assumeTrue(asked.isOfFirst() && asked.hasDefaults(), "asked of one mechanism");
    assertEquals(
        "The parameter 'depth' of disruptor must be at most its 'size', 8, not 9.",
        refusal(2, Map.of("size", 8L, "depth", 9L)));
    String batch = "The parameter 'batch' of disruptor must be at most its ";
    assertEquals(batch + "'size', 8, not 9.", refusal(2, Map.of("size", 8L, "batch", 9L)));
    assertEquals(batch + "'depth', 3, not 4.", refusal(2, Map.of("depth", 3L, "batch", 4L)));
  }

  @Test
  void refusesMoreMemoryThanATrialMayTake() {
    assumeDefaults();
    String sentence = refusal(2, Map.of("size", 1L << 20, "message-bytes", 1024L));
    assertTrue(
        sentence.endsWith(" lower the parameter 'size', 'message-bytes' or 'producers'."),
        sentence);
  }

  // ---- the players themselves ----

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

  @Test
  void aConsumerEndsWhereItsProducerHasLeft() throws Exception {
    cast(Map.of());
    CompletableFuture<Integer> consumer = cast.runAndLeave(CONSUMER, 0, FOR_EVER);
    for (int count : new int[] {1, 2, 3, 100}) {
      assertEquals(count, end(cast.run(PRODUCER, 0, count, 0)));
    }
    assertEquals(0, end(cast.leave(PRODUCER, 0)));
    assertEquals(106, end(consumer));
    assertEquals(106, stage.progress(0));
  }

  @Test
  void aConsumerThatHasDoneItsShareTakesWhatStillComes() throws Exception {
    cast(Map.of());
    CompletableFuture<Integer> consumer = cast.runAndLeave(CONSUMER, 0, 1);
    assertEquals(5, end(cast.runAndLeave(PRODUCER, 0, 5)));
    assertEquals(5, end(consumer));
    assertEquals(5, stage.progress(0));
  }

  /** A batch is what the consumer finds, and is cut by nothing. */
  @Test
  void reportsHowManyItTakesAtOnce() throws Exception {
    cast(Map.of("size", 8L));
    for (int count : new int[] {4, 5, 1}) {
      assertEquals(count, end(cast.run(PRODUCER, 0, count, 0)));
      assertEquals(count, end(cast.run(CONSUMER, 0, 1, 0)));
    }
    assertEquals(List.of(4L, 5L, 1L), cast.samples(CONSUMER).numbers(0));
  }

  @Test
  void saysWhetherOthersWait() throws Exception {
    cast(Map.of("size", 8L));
    end(cast.run(PRODUCER, 0, 3, 0));
    end(cast.run(CONSUMER, 0, 1, 4));
    assertTrue(cast.samples(CONSUMER).othersWait(), "they were there before it came");
    for (long pause = 20; cast.samples(CONSUMER).othersWait() && pause < 20_000; pause *= 2) {
      CompletableFuture<Integer> waiting = cast.run(CONSUMER, 0, 1, 4);
      Thread.sleep(pause); // on a busy machine it comes late
      end(cast.run(PRODUCER, 0, 1, 0));
      assertEquals(1, end(waiting));
    }
    assertFalse(cast.samples(CONSUMER).othersWait(), "it has waited itself");
  }

  /** A take of many messages lasts long compared with a window. */
  @Test
  void reportsHowFarItHasComeInsideATake() throws Exception {
    cast(Map.of("size", 64L));
    for (int run = 0; run < 3; run++) {
      end(cast.run(PRODUCER, 0, 10, 0));
    }
    assertEquals(30, end(cast.run(CONSUMER, 0, 30, 0)));
    assertEquals(20, cast.samples(CONSUMER).progress, "before the first of the last run");
  }

  /** The middle of each group; and a message is stamped before it is taken. */
  @Test
  void timesWhatIsStampedAndNothingElse() throws Exception {
    cast(Map.of());
    long before = System.nanoTime();
    CompletableFuture<Integer> consumer = cast.runAndLeave(CONSUMER, 0, FOR_EVER);
    assertEquals(12, end(cast.run(PRODUCER, 0, 12, 4)));
    assertEquals(4, end(cast.run(PRODUCER, 0, 4, 0)));
    end(cast.leave(PRODUCER, 0));
    assertEquals(16, end(consumer));
    assertEquals(3, cast.samples(PRODUCER).readings());
    assertEquals(0, cast.samples(PRODUCER).size());
    Noted samples = cast.samples(CONSUMER);
    assertEquals(3, samples.size());
    assertEquals(3, samples.readings());
    for (int each = 0; each < samples.size(); each++) {
      assertTrue(samples.from(each) >= before);
      assertTrue(samples.to(each) >= samples.from(each));
    }
  }

  /** The stamp of one that waits for space is from before it waited. */
  @Test
  void stampsOnceAndBeforeItWaitsForSpace() throws Exception {
    assumeDefaults();
    cast(Map.of("size", 4L));
    assertEquals(4, end(cast.run(PRODUCER, 0, 4, 0)));
    CompletableFuture<Integer> waiting = cast.run(PRODUCER, 0, 1, 1);
    Thread.sleep(20);
    assertFalse(waiting.isDone(), "it is bounded");
    long after = System.nanoTime();
    assertEquals(5, end(cast.run(CONSUMER, 0, 5, 1)));
    assertEquals(1, end(waiting));
    Noted samples = cast.samples(CONSUMER);
    assertEquals(1, samples.size());
    assertTrue(samples.from(0) < after - 10 * MS, "it was stamped anew");
  }

  /** But what is not to be in flight yet is not there yet. */
  @Test
  void stampsAfterItMaySendWhereFewAreInFlight() throws Exception {
    assumeDefaults();
    cast(Map.of("size", 8L, "depth", 1L));
    assertEquals(1, end(cast.run(PRODUCER, 0, 1, 0)));
    CompletableFuture<Integer> waiting = cast.run(PRODUCER, 0, 1, 1);
    Thread.sleep(20);
    long before = System.nanoTime();
    assertEquals(1, end(cast.run(CONSUMER, 0, 1, 1)));
    assertEquals(1, end(waiting));
    assertEquals(1, end(cast.run(CONSUMER, 0, 1, 1)));
    assertTrue(cast.samples(CONSUMER).from(0) >= before);
  }

  @Test
  void stopEndsAConsumerThatWaitsAndLeavesNothingToCompare() throws Exception {
    cast(Map.of());
    CompletableFuture<Integer> waiting = cast.runAndLeave(CONSUMER, 0, FOR_EVER);
    Thread.sleep(2);
    stop();
    assertEquals(0, end(waiting));
    assertEquals(Map.of(), stage.counts(new long[2]));
  }

  @Test
  void stopEndsAProducerWhoseQueueIsFull() throws Exception {
    cast(Map.of());
    CompletableFuture<Integer> sending = cast.run(PRODUCER, 0, FOR_EVER, 0);
    Thread.sleep(2);
    assertFalse(sending.isDone(), "it is bounded");
    stop();
    assertTrue(end(sending) < FOR_EVER);
    assertEquals(Map.of(), stage.counts(new long[2]));
  }
}
