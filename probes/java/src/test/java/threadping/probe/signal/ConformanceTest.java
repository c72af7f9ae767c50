package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Contract;
import threadping.probe.Param;
import threadping.probe.Params;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.ResultWriter;
import threadping.probe.message.SignalResult;
import threadping.probe.platform.Pinning;
import threadping.probe.signal.mechanisms.Cells;
import threadping.probe.signal.mechanisms.Mechanisms;
import threadping.probe.signal.mechanisms.SignalMechanism;

/**
 * The same questions to every mechanism with every wait; one that is added to the list answers them
 * too. Both sides are always driven from threads of their own: some mechanisms hand over only where
 * two threads meet.
 */
@ParameterizedClass
@MethodSource("cases")
@Timeout(60)
class ConformanceTest {
  private static final int CELLS = 3;

  /** A mechanism and what is asked of it. */
  static final class Case {
    final SignalMechanism mechanism;
    final Map<String, Object> params;

    Case(SignalMechanism mechanism, Map<String, Object> params) {
      this.mechanism = mechanism;
      this.params = params;
    }

    Cells cells() {
      return mechanism.cells(CELLS, Params.of(mechanism, params));
    }

    Request brief(Integer... cpus) {
      Request request = Requests.brief(mechanism.name(), cpus);
      request.params = params;
      return request;
    }

    @Override
    public String toString() {
      return mechanism.name() + params;
    }
  }

  private final Case asked;
  private final Cells cells;

  ConformanceTest(Case asked) {
    this.asked = asked;
    this.cells = asked.cells();
  }

  /** Each mechanism that this virtual machine can run, with its defaults and each other choice. */
  static List<Case> cases() {
    return Mechanisms.ALL.stream()
        .filter(mechanism -> mechanism.needs() == null)
        .flatMap(ConformanceTest::casesOf)
        .collect(Collectors.toList());
  }

  private static Stream<Case> casesOf(SignalMechanism mechanism) {
    Stream<Map<String, Object>> others =
        mechanism.params().stream()
            .filter(param -> param.onlyWith == null)
            .flatMap(ConformanceTest::othersThanDefault);
    return Stream.concat(Stream.of(Map.<String, Object>of()), others)
        .map(params -> new Case(mechanism, params));
  }

  /** Of a text all choices, of a number the least: the most may be too much for a test. */
  private static Stream<Map<String, Object>> othersThanDefault(Param param) {
    Stream<Object> values =
        param.choices == null ? Stream.of(param.range.get(0)) : param.choices.stream().map(x -> x);
    return values
        .filter(value -> !value.equals(param.defaultValue))
        .map(value -> Map.of(param.name, value));
  }

  /** What a thread of its own finds out. */
  private static CompletableFuture<Long> apart(LongSupplier turns) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    Thread thread = new Thread(() -> answer.complete(turns.getAsLong()));
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  private static long wait(CompletableFuture<Long> answer)
      throws ExecutionException, InterruptedException, TimeoutException {
    return answer.get(30, TimeUnit.SECONDS);
  }

  /** Takes so many turns as ping, from the start, and awaits the answer to the last. */
  private static long ping(Cells cells, int cell, int turns) {
    long right = 0;
    for (int turn = 0; turn < turns; turn++) {
      right += cells.pingTurn(cell, 2 * turn) == 2 * turn ? 1 : 0;
    }
    return cells.awaitAnswer(cell, 2 * turns) == 2 * turns ? right : -1;
  }

  /** Takes so many turns as pong, from the start. */
  private static long pong(Cells cells, int cell, int turns) {
    long right = 0;
    for (int turn = 0; turn < turns; turn++) {
      right += cells.pongTurn(cell, 2 * turn + 1) == 2 * turn + 1 ? 1 : 0;
    }
    return right;
  }

  @Test
  void noSignalIsLostOrDoubled() throws Exception {
    for (int count = 1; count <= 5; count++) {
      Cells fresh = asked.cells();
      for (int cell = 0; cell < CELLS; cell++) {
        int turns = count;
        int here = cell;
        CompletableFuture<Long> ping = apart(() -> ping(fresh, here, turns));
        CompletableFuture<Long> pong = apart(() -> pong(fresh, here, turns));
        assertEquals(turns, wait(ping));
        assertEquals(turns, wait(pong));
        assertEquals(2 * turns, fresh.peek(cell));
      }
    }
  }

  @Test
  void aTurnOnOneCellLeavesTheOthersAlone() throws Exception {
    CompletableFuture<Long> ping = apart(() -> ping(cells, 1, 1));
    CompletableFuture<Long> pong = apart(() -> pong(cells, 1, 1));
    assertEquals(1, wait(ping));
    assertEquals(1, wait(pong));
    assertEquals(List.of(0L, 2L, 0L), List.of(cells.peek(0), cells.peek(1), cells.peek(2)));
  }

  @Test
  void aSecondSignalThatCameTooEarlyIsSeen() throws Exception {
    CompletableFuture<Long> first = apart(() -> ping(cells, 0, 1));
    assertEquals(1, wait(apart(() -> pong(cells, 0, 1))));
    assertEquals(1, wait(first));
    Thread second = new Thread(() -> cells.pingTurn(0, 2));
    second.start();
    while (second.isAlive() && second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait(); // until it has told, or waits to be met
    }
    assertEquals(3, wait(apart(() -> cells.pongTurn(0, 1))));
    second.join();
  }

  @Test
  void stopEndsBothThreads() throws Exception {
    CompletableFuture<Long> pong = apart(() -> cells.pongTurn(0, 1));
    CompletableFuture<Long> ping = apart(() -> cells.pingTurn(1, 2));
    assertFalse(pong.isDone() || ping.isDone());
    while (!pong.isDone() || !ping.isDone()) {
      cells.stop(0);
      cells.stop(1);
      Thread.sleep(1);
    }
    assertTrue(wait(pong) >= Cells.POISON, "pong saw " + wait(pong));
    assertTrue(wait(ping) >= Cells.POISON, "ping saw " + wait(ping));
  }

  private SignalResult measure(Request request) throws InterruptedException {
    SignalResult result = new Signal().run(request);
    assertEquals(List.of(), Contract.complaints("result", ResultWriter.json(result)));
    return result;
  }

  private static int blocks(SignalResult result) {
    return result.lines.stream().mapToInt(line -> line.length).sum();
  }

  @Test
  void unpinned() throws Exception {
    Request request = asked.brief(null, null);
    SignalResult result = measure(request);
    assertFalse(result.cut);
    assertTrue(blocks(result) > 0);
    assertTrue(result.singles.values.length > 0);
    assertEquals(Pinning.allowedCpus(), result.threads.get(0).cpusStart);
  }

  @Test
  void pinnedToTwoCpus() throws Exception {
    assumeTrue(asked.mechanism.pinnable());
    List<Integer> allowed = Pinning.allowedCpus();
    assumeTrue(allowed.size() >= 2, "needs two CPUs");
    SignalResult result = measure(asked.brief(allowed.get(1), allowed.get(0)));
    assertFalse(result.cut);
    assertTrue(blocks(result) > 0);
    assertEquals(List.of(allowed.get(1)), result.threads.get(0).cpusStart);
    assertEquals(List.of(allowed.get(0)), result.threads.get(1).cpusEnd);
  }

  @Test
  void onOneCpuItEndsInTime() throws Exception {
    assumeTrue(asked.mechanism.pinnable());
    int cpu = Pinning.allowedCpus().get(0);
    Request request = asked.brief(cpu, cpu);
    request.boundNs = 400_000_000;
    request.measureNs = 300_000_000;
    SignalResult result = measure(request);
    assertTrue(result.cut || result.measuredNs >= request.measureNs);
    assertEquals(List.of(cpu), result.threads.get(1).cpusEnd);
  }
}
