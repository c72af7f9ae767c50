package threadping.probe.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.MS;
import static threadping.probe.crew.Players.end;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Contract;
import threadping.probe.Failure;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Players;
import threadping.probe.crew.Timings;
import threadping.probe.crew.Trial;
import threadping.probe.crew.Variant;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

/**
 * The same questions to every mechanism with every wait; one that is added to the list answers them
 * too.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(60)
class ConformanceTest {
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int LINES = 2;
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  private final Variant asked;
  private final Players players = new Players(false);
  private Loops loops;

  ConformanceTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Variant.of(Ring.EXPERIMENT);
  }

  /** What is asked of every mechanism once, since it does not hang on how it waits. */
  private void assumeDefaults() {
    assumeTrue(asked.hasDefaults());
  }

  // ---- whole trials ----

  private Request request(int threads, Map<String, Object> more) {
    Request request = asked.request(threads, more);
    request.lines = 2;
    return request;
  }

  private Result sound(int threads, Map<String, Object> more) {
    return sound(request(threads, more));
  }

  /** What must be true of every trial that came to its end. */
  private Result sound(Request request) {
    Result result = Trial.run(request, Ring.EXPERIMENT);
    assertEquals(List.of(), Contract.complaints("result", result.json()));
    assertFalse(result.cut);
    assertTrue(result.measuredOps > 0);
    Result.Held messages = result.counts.get("messages");
    assertEquals(result.warmUpOps + result.measuredOps, messages.made);
    assertEquals(messages.made, messages.found);
    assertTrue(messages.exact);
    assertEquals(Set.of("latency", "batch"), result.distributions.keySet());
    Result.Distribution batch = result.distributions.get("batch");
    assertTrue(LongStream.of(batch.counts).sum() > 0);
    assertTrue(batch.values[0] > 0, "a take of nothing is none");
    return result;
  }

  /** The same, with samples: where none got a CPU in a timed window it gets more time. */
  private Result timed(Map<String, Object> more) {
    Request request = request(2, more);
    Result result = sound(request);
    while (result.distributions.get("latency").values.length == 0
        && request.measureNs < 5_000 * MS) {
      request.measureNs *= 4;
      result = sound(request);
    }
    assertTrue(result.distributions.get("latency").values.length > 0);
    return result;
  }

  private String refusal(int threads, Map<String, Object> more) {
    return assertFails(
        Failure.Code.BAD_REQUEST, () -> Trial.run(request(threads, more), Ring.EXPERIMENT));
  }

  @Test
  void losesNothingAndTimesWhatIsStamped() {
    timed(Map.of());
  }

  @Test
  void carriesAPayload() {
    assumeDefaults();
    sound(2, Map.of("payload", 6L));
  }

  /** The published latency test: nothing is sent before the last one was taken by all. */
  @Test
  void takesOneAtATimeWhereOneIsInFlight() {
    assumeDefaults();
    Result result = timed(Map.of("in-flight", 1L));
    assertArrayEquals(new long[] {1}, result.distributions.get("batch").values);
  }

  @Test
  void publishesBatches() {
    assumeDefaults();
    assumeTrue(asked.has("batch"));
    Result result = sound(2, Map.of("batch", 10L, "size", 64L, "payload", 1L));
    boolean isWhole = !asked.has("producers"); // several publish place by place
    for (long size : result.distributions.get("batch").values) {
      assertTrue(size <= 64 && (size % 10 == 0 || !isWhole), "a batch of " + size);
    }
  }

  @Test
  void hasSeveralProducers() {
    assumeDefaults();
    assumeTrue(asked.has("producers"));
    Result result = sound(4, Map.of("producers", 3L, "in-flight", 5L, "payload", 1L));
    assertEquals(
        List.of("producer", "consumer", "producer", "producer"),
        List.of(role(result, 0), role(result, 1), role(result, 2), role(result, 3)));
  }

  @Test
  void hasSeveralConsumersWhichAllSeeAll() {
    assumeDefaults();
    assumeTrue(asked.has("consumers"));
    Result result = sound(3, Map.of("consumers", 2L, "in-flight", 5L));
    assertEquals(
        List.of("producer", "consumer", "consumer"),
        List.of(role(result, 0), role(result, 1), role(result, 2)));
    for (long ops : result.windows.ops[1]) {
      assertEquals(0, ops, "only what producers send counts");
    }
  }

  private static String role(Result result, int thread) {
    return result.threads.get(thread).role;
  }

  @Test
  void isMeasuredWithEveryNumberAtItsMost() {
    assumeDefaults();
    sound(2, Map.of("payload", 126L));
    sound(2, Map.of("in-flight", 1L << 20));
    Request large = request(2, Map.of("size", 1L << 20));
    large.lines = 1;
    sound(large);
    if (asked.has("batch")) {
      sound(2, Map.of("size", 1L << 16, "batch", 1L << 16));
    }
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
    String name = asked.mechanism.name;
    if (name.contains("blocking") || name.contains("transfer")) {
      sound(2, Map.of("size", 1000L));
    } else {
      assertEquals(
          "The parameter 'size' of " + name + " must be a power of two, such as 65536, not 1000.",
          refusal(2, Map.of("size", 1000L)));
    }
  }

  @Test
  void refusesABatchThatCouldNeverBeClaimed() {
    assumeDefaults();
    assumeTrue(asked.has("batch"));
    String start = "The parameter 'batch' of " + asked.mechanism.name + " must not be larger than ";
    assertEquals(
        start + "'size', which is 8: it is 9.", refusal(2, Map.of("size", 8L, "batch", 9L)));
    assertEquals(
        start + "'in-flight', which is 3: it is 4.",
        refusal(2, Map.of("in-flight", 3L, "batch", 4L)));
  }

  // ---- the loops themselves ----

  private CompletableFuture<Integer> ordered(int thread, int line, int count) {
    return players.as(
        thread,
        () -> {
          int done = loops.plain(thread, line, count);
          loops.leave(thread, line);
          return done;
        });
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (loops != null) {
      players.stop(loops, LINES);
    }
  }

  /** Line by line, again and again: what was left before is not taken for a leaving of now. */
  @Test
  void aConsumerEndsWhereItsProducerHasLeft() throws Exception {
    loops = asked.loops(LINES, 2);
    long sent = 0;
    for (int count : new int[] {1, 2, 3, 100}) {
      for (int line = 0; line < LINES; line++) {
        CompletableFuture<Integer> consumer = ordered(CONSUMER, line, FOR_EVER);
        assertEquals(count, end(ordered(PRODUCER, line, count)));
        assertEquals(count, end(consumer));
        sent += count;
        assertEquals(sent, loops.counts(sent).get("messages").found);
      }
    }
    assertEquals(sent, loops.progress(0) + loops.progress(1) - sent, "sent, and taken");
  }

  @Test
  void aConsumerThatHasDoneItsShareTakesWhatStillComes() throws Exception {
    loops = asked.loops(LINES, 2);
    for (int round = 1; round <= 10; round++) {
      CompletableFuture<Integer> consumer = ordered(CONSUMER, 0, 1);
      assertEquals(5, end(ordered(PRODUCER, 0, 5)));
      assertTrue(end(consumer) >= 1);
      assertEquals(5 * round, loops.counts(0).get("messages").found);
    }
  }

  /** Of what comes, and as long as there is room; a message is stamped before it is taken. */
  @Test
  void timesWhatIsStampedAndNothingElse() throws Exception {
    loops = asked.loops(LINES, 2);
    long before = System.nanoTime();
    Timings none = new Timings(1);
    CompletableFuture<Integer> producer =
        players.as(
            PRODUCER,
            () -> {
              int done = 0;
              for (int each = 0; each < 3; each++) {
                done += loops.plain(PRODUCER, 0, 2);
                done += loops.timed(PRODUCER, 0, 0, none, 1);
              }
              loops.leave(PRODUCER, 0);
              return done;
            });
    Timings timings = new Timings(9);
    CompletableFuture<Integer> consumer =
        players.as(
            CONSUMER,
            () -> {
              int all = 0;
              int done;
              while ((done = loops.timed(CONSUMER, 0, 0, timings, 2)) > 0) {
                all += done;
              }
              loops.leave(CONSUMER, 0);
              return all;
            });
    assertEquals(9, end(producer));
    assertTrue(end(consumer) <= 9);
    assertEquals(9, loops.counts(0).get("messages").found);
    assertEquals(0, none.size());
    assertTrue(timings.size() >= 1, "timed");
    for (int each = 0; each < timings.size(); each++) {
      assertTrue(timings.fromNs[each] >= before);
      assertTrue(timings.toNs[each] >= timings.fromNs[each]);
    }
  }

  @Test
  void stopEndsAConsumerThatWaitsAndLeavesNothingToCompare() throws Exception {
    loops = asked.loops(LINES, 2);
    CompletableFuture<Integer> waiting = ordered(CONSUMER, 0, FOR_EVER);
    Thread.sleep(2);
    stop();
    assertEquals(0, end(waiting));
    assertEquals(Map.of(), loops.counts(0));
  }

  @Test
  void stopEndsAProducerWhoseQueueIsFull() throws Exception {
    loops = asked.loops(LINES, 2);
    assertEquals(1, end(players.as(PRODUCER, () -> loops.plain(PRODUCER, 0, 1))));
    CompletableFuture<Integer> sending = ordered(PRODUCER, 0, FOR_EVER);
    Thread.sleep(2);
    assertFalse(sending.isDone(), "it is bounded");
    stop();
    assertTrue(end(sending) < FOR_EVER);
    assertEquals(Map.of(), loops.counts(0));
  }
}
