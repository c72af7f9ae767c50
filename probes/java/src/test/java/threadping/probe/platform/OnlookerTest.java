package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.engine.Cast.apart;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.platform.Onlooker.Seen;

/**
 * What a look sees comes to Java under its name; that it is seen is tested in C++
 * (platform/evidence).
 */
@Timeout(60)
class OnlookerTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();

  private static Seen seenOf(Runnable deed, int... others) throws Exception {
    return seenOf(() -> {}, deed, others);
  }

  /** What was seen while a thread of its own did this, when it had prepared for it. */
  private static Seen seenOf(Runnable preparation, Runnable deed, int... others) throws Exception {
    return end(
        apart(
            () -> {
              Onlooker onlooker = new ThreadOnlooker(others, false);
              preparation.run();
              onlooker.look();
              deed.run();
              onlooker.look();
              return onlooker.seen();
            }));
  }

  /** Uses so much CPU time of its own. */
  private static void burn(long ns) {
    long[] used = new long[6];
    Native.threadCounters(used);
    long end = used[0] + ns;
    while (used[0] < end) {
      Native.threadCounters(used);
    }
  }

  @Test
  void whatHappensIsSeenUnderItsName() throws Exception {
    Seen seen =
        seenOf(
            () -> {
              LockSupport.parkNanos(5_000_000);
              burn(5_000_000);
              Lines lines = new Lines(500);
              for (int line = 0; line < 500; line++) {
                Words.touch(lines.first(line));
              }
            });
    assertTrue(seen.ns() >= 10_000_000);
    assertTrue(seen.voluntarySwitches() >= 1);
    assertTrue(seen.cpuNs() >= 5_000_000 && seen.cpuNs() < seen.ns(), seen.cpuNs() + " ns");
    assertTrue(seen.minorFaults() >= 500, seen.minorFaults() + " faults");
  }

  @Test
  void aMoveIsAnotherCpu() throws Exception {
    assumeTrue(ALLOWED.size() >= 2, "nothing can move here");
    int from = ALLOWED.get(0);
    int to = ALLOWED.get(ALLOWED.size() - 1);
    Seen seen =
        seenOf(
            () -> Pinning.pinThisThread(List.of(from)), () -> Pinning.pinThisThread(List.of(to)));
    assertEquals(from, seen.cpuBefore());
    assertEquals(to, seen.cpu());
    assertNull(seen.interrupts()); // those of two CPUs are not compared
  }

  /** A thief on the same CPU takes it away, and the thread waits for it. */
  @Test
  void aThiefIsSeenAsSwitchesAndDelay() throws Exception {
    int cpu = ALLOWED.get(0);
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> thiefsTask = new CompletableFuture<>();
    Thread thief =
        new Thread(
            () -> {
              Pinning.pinThisThread(List.of(cpu));
              thiefsTask.complete(Threads.task());
              while (!isOver.get()) {
                burn(100_000);
              }
            });
    thief.setDaemon(true);
    thief.start();
    Seen seen =
        seenOf(
            () -> Pinning.pinThisThread(List.of(cpu)),
            () -> burn(100_000_000), // some time slices
            thiefsTask.get());
    isOver.set(true);
    assertTrue(seen.involuntarySwitches() >= 1, "no switch");
    assertTrue(seen.runDelayNs() == null || seen.runDelayNs() > 0, "no delay");
    assertTrue(
        seen.othersRunDelayNs() == null || seen.othersRunDelayNs() > 0, "none of the thief's");
  }

  @Test
  void whatIsNotToldIsSaid() {
    Onlooker onlooker = new ThreadOnlooker(new int[0], false);
    boolean isAll = "trace-points".equals(onlooker.interrupts());
    assertEquals(isAll, onlooker.lacking().isEmpty());
  }
}
