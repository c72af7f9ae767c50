package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;
import threadping.probe.Contract;
import threadping.probe.Requests;
import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.lock.mechanisms.LockMechanism;
import threadping.probe.lock.mechanisms.Mechanisms;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;
import threadping.probe.message.ResultWriter;
import threadping.probe.platform.Pinning;

/** The same questions to every mechanism; one that is added to the list answers them too. */
@ParameterizedClass
@FieldSource("ALL")
@Timeout(60)
class ConformanceTest {
  static final List<LockMechanism> ALL = Mechanisms.ALL;

  private static final int CELLS = 3;

  private final LockMechanism asked;

  ConformanceTest(LockMechanism asked) {
    this.asked = asked;
  }

  @Test
  void oneThreadCounts() {
    Cell[] cells = asked.cells(CELLS, 1);
    for (int made = 0; made < 10; made++) {
      assertEquals(made, cells[1].found());
      cells[1].perform(0, 0);
    }
    assertTrue(cells[1].performTimed(0, 0) >= 0);
    assertEquals(List.of(0L, 11L, 0L), found(cells));
  }

  @Test
  void workChangesNothing() {
    Cell[] cells = asked.cells(CELLS, 2);
    cells[2].perform(1, 5);
    cells[2].performTimed(1, 5);
    assertEquals(List.of(0L, 0L, 2L), found(cells));
  }

  private static List<Long> found(Cell[] cells) {
    List<Long> found = new ArrayList<>();
    for (Cell cell : cells) {
      found.add(cell.found());
    }
    return found;
  }

  @Test
  void noIncrementIsLostWhereNoneMayBe() throws Exception {
    int each = 20_000;
    int count = 5;
    Cell[] cells = asked.cells(CELLS, count);
    List<Thread> threads = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      int self = index;
      Thread thread =
          new Thread(
              () -> {
                for (int made = 0; made < each; made += 2) {
                  cells[0].perform(self, 0);
                  cells[0].performTimed(self, 0);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    long found = cells[0].found();
    if (asked.exact()) {
      assertEquals(each * count, found);
    } else {
      assertTrue(found > 0 && found <= each * count, found + " found");
    }
  }

  private LockResult measure(Request request) throws InterruptedException {
    LockResult result = new Lock().run(request);
    assertEquals(List.of(), Contract.complaints("result", ResultWriter.json(result)));
    assertFalse(result.cut);
    assertTrue(result.measuredNs >= request.measureNs);
    assertEquals(request.cpus.size(), result.threads.size());
    assertTrue(result.windows.stream().anyMatch(window -> window.sampled));
    assertTrue(result.windows.stream().anyMatch(window -> !window.sampled));
    long inWindows = 0;
    for (LockResult.Window window : result.windows) {
      assertEquals(request.cpus.size(), window.ops.length);
      inWindows += LongStream.of(window.ops).sum();
    }
    assertTrue(inWindows > 0);
    assertTrue(inWindows <= result.measuredOps);
    assertTrue(result.measuredOps + result.warmupOps <= result.made);
    assertEquals(asked.exact(), result.exact);
    assertTrue(result.exact ? result.found == result.made : result.found > 0);
    assertTrue(LongStream.of(result.waits.counts).sum() <= 1 << 20);
    return result;
  }

  @Test
  void oneThread() throws Exception {
    LockResult result = measure(Requests.lock(asked.name(), Pinning.allowedCpus().get(0)));
    assertEquals(Pinning.allowedCpus().subList(0, 1), result.threads.get(0).cpusEnd);
    assertEquals(result.found, result.made); // nobody else writes
    assertTrue(result.waits.values.length > 0);
  }

  @Test
  void twoThreadsUnpinned() throws Exception {
    LockResult result = measure(Requests.lock(asked.name(), null, null));
    assertEquals(Pinning.allowedCpus(), result.threads.get(1).cpusStart);
  }

  @Test
  void fiveThreadsOnTheMachinesCpus() throws Exception {
    List<Integer> allowed = Pinning.allowedCpus();
    Integer[] cpus = new Integer[5];
    for (int thread = 0; thread < cpus.length; thread++) {
      cpus[thread] = allowed.get(thread % allowed.size());
    }
    LockResult result = measure(Requests.lock(asked.name(), cpus));
    assertEquals(List.of(cpus[4]), result.threads.get(4).cpusStart);
  }

  @Test
  void withWorkInsideAndOutside() throws Exception {
    Request request = Requests.lock(asked.name(), null, null);
    request.params = Map.of("critical", 10L, "outside", 20L);
    measure(request);
  }

  @Test
  void allOnOneCpu() throws Exception {
    int cpu = Pinning.allowedCpus().get(0);
    measure(Requests.lock(asked.name(), cpu, cpu, cpu));
  }
}
