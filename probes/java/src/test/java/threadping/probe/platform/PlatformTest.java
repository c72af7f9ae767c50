package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PlatformTest {
  @Test
  void aPinHoldsForTheThreadThatAsksOnly() throws Exception {
    List<Integer> all = Pinning.allowedCpus();
    int last = all.get(all.size() - 1);
    CompletableFuture<List<Integer>> pinned = new CompletableFuture<>();
    Thread thread = new Thread(() -> pinned.complete(Pinning.pinThisThread(last)));
    thread.start();
    assertEquals(List.of(last), pinned.get());
    assertEquals(all, Pinning.allowedCpus());
  }

  @Test
  void cellsShareNoLineAndNoPage() {
    Lines lines = new Lines(256);
    Set<Long> pages = new HashSet<>();
    Set<Long> offsets = new HashSet<>();
    for (int cell = 0; cell < 256; cell++) {
      assertEquals(0, lines.first(cell) % 128);
      assertEquals(128, lines.second(cell) - lines.first(cell));
      assertEquals(lines.first(cell) / 4096, (lines.second(cell) + 127) / 4096);
      pages.add(lines.first(cell) / 4096);
      offsets.add(lines.first(cell) % 4096);
    }
    assertEquals(256, pages.size());
    assertEquals(31, offsets.size());
  }

  @Test
  void wordsOfALineKeepTheirValues() {
    Lines lines = new Lines(2);
    long word = lines.first(1);
    Words.setVolatile(word, 5);
    Words.setRelease(lines.second(1), 6);
    assertTrue(Words.compareAndSet(word, 5, 7));
    assertFalse(Words.compareAndSet(word, 5, 8));
    assertEquals(7, Words.getVolatile(word));
    assertEquals(6, Words.getAcquire(lines.second(1)));
    assertEquals(0, Words.getAcquire(lines.first(0)));
  }

  @Test
  void countersOfAThreadCountItsWork() throws Exception {
    ThreadCounters before = ThreadCounters.before();
    byte[] fresh = new byte[1 << 22];
    Thread.sleep(2);
    ThreadCounters counters = ThreadCounters.after().since(before);
    assertEquals(1 << 22, fresh.length);
    assertTrue(counters.cpuNs > 0);
    assertTrue(counters.voluntarySwitches >= 1);
    assertTrue(counters.migrations == null || counters.migrations >= 0);
  }

  @Test
  void theMachineCounts() {
    MachineCounters start = MachineCounters.of(Set.copyOf(Pinning.allowedCpus()));
    assertNotNull(start.stealNs);
    assertTrue(MachineCounters.of(Set.of()).stealNs == null);
    assertTrue(start.interrupts > 0);
    assertEquals(0, start.since(start).interrupts);
  }

  @Test
  void theClockCostsSomething() {
    Clock clock = Clock.measure();
    assertTrue(clock.costNs > 0);
    assertTrue(clock.resolutionNs >= 1);
  }

  @Test
  void theVirtualMachineTells() {
    Jvm jvm = new Jvm();
    assertTrue(jvm.compileMs() > 0);
    long collections = jvm.collections();
    System.gc();
    assertFalse(jvm.collections() < collections);
    Jvm.awaitIdleCompiler(10_000_000);
  }
}
