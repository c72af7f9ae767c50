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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Contract;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.message.ResultWriter;
import threadping.probe.platform.Pinning;

/** The same questions to every mechanism; one that is added to the list answers them too. */
@ParameterizedClass
@MethodSource("mechanisms")
@Timeout(60)
class ConformanceTest {
  private static final int CELLS = 3;

  private final SignalMechanism mechanism;
  private final Cells cells;

  ConformanceTest(SignalMechanism mechanism) {
    this.mechanism = mechanism;
    this.cells = mechanism.cells(CELLS, Map.of());
  }

  static List<SignalMechanism> mechanisms() {
    return Mechanisms.ALL;
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

  @Test
  void noSignalIsLostOrDoubled() throws Exception {
    for (int count = 1; count <= 5; count++) {
      Cells fresh = mechanism.cells(CELLS, Map.of());
      for (int cell = 0; cell < CELLS; cell++) {
        int turns = count;
        int here = cell;
        CompletableFuture<Long> pong =
            apart(
                () -> {
                  long right = 0;
                  for (int turn = 0; turn < turns; turn++) {
                    right += fresh.pongTurn(here, 2 * turn + 1) == 2 * turn + 1 ? 1 : 0;
                  }
                  return right;
                });
        for (int turn = 0; turn < turns; turn++) {
          assertEquals(2 * turn, fresh.pingTurn(cell, 2 * turn));
        }
        assertEquals(turns, wait(pong));
        assertEquals(2 * turns, fresh.peek(cell));
      }
    }
  }

  @Test
  void aTurnOnOneCellLeavesTheOthersAlone() throws Exception {
    cells.pingTurn(1, 0);
    assertEquals(List.of(0L, 1L, 0L), List.of(cells.peek(0), cells.peek(1), cells.peek(2)));
  }

  @Test
  void aSecondSignalThatCameTooEarlyIsSeen() {
    cells.pingTurn(0, 0);
    cells.pongTurn(0, 1);
    cells.pingTurn(0, 2);
    assertEquals(3, cells.pongTurn(0, 1));
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

  private Result measure(Request request) throws InterruptedException {
    Result result = Signal.run(request);
    assertEquals(List.of(), Contract.complaints("result", ResultWriter.json(result)));
    return result;
  }

  private static int blocks(Result result) {
    return result.lines.stream().mapToInt(line -> line.length).sum();
  }

  @Test
  void unpinned() throws Exception {
    Request request = Requests.brief(mechanism.name(), null, null);
    Result result = measure(request);
    assertFalse(result.cut);
    assertTrue(blocks(result) > 0);
    assertTrue(result.singles.values.length > 0);
    assertEquals(Pinning.allowedCpus(), result.threads.get(0).cpusStart);
  }

  @Test
  void pinnedToTwoCpus() throws Exception {
    List<Integer> allowed = Pinning.allowedCpus();
    assumeTrue(allowed.size() >= 2, "needs two CPUs");
    Result result = measure(Requests.brief(mechanism.name(), allowed.get(1), allowed.get(0)));
    assertFalse(result.cut);
    assertTrue(blocks(result) > 0);
    assertEquals(List.of(allowed.get(1)), result.threads.get(0).cpusStart);
    assertEquals(List.of(allowed.get(0)), result.threads.get(1).cpusEnd);
  }

  @Test
  void onOneCpuItEndsInTime() throws Exception {
    int cpu = Pinning.allowedCpus().get(0);
    Request request = Requests.bounded(400, mechanism.name(), cpu, cpu);
    request.measureNs = 300_000_000;
    Result result = measure(request);
    assertTrue(result.cut || result.measuredNs >= request.measureNs);
    assertEquals(List.of(cpu), result.threads.get(1).cpusEnd);
  }
}
