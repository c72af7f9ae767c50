package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import threadping.probe.message.Seen;

/** What a look sees of what really happens to a thread. */
@Timeout(60)
class WitnessTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();

  @TempDir Path folder;

  private KernelFile file(String text) throws IOException {
    return KernelFile.open(Files.writeString(folder.resolve("file"), text).toString());
  }

  @Test
  void numbersAreReadOneByOneAndLineByLine() throws IOException {
    KernelFile file = file("  12 0 x\ncpu3: 9007199254740993\n\n7");
    assertTrue(file.read());
    assertEquals(12, file.number());
    assertEquals(0, file.number());
    assertEquals(Look.UNKNOWN, file.number());
    assertTrue(file.nextLine());
    assertTrue(file.skip("cpu"));
    assertTrue(!file.skip("cpu"));
    file.skipTo(':');
    assertEquals(9007199254740993L, file.number());
    assertTrue(!file.hasMore());
    assertTrue(file.nextLine());
    assertTrue(!file.hasMore());
    assertTrue(file.nextLine());
    assertEquals(7, file.number());
    assertTrue(!file.nextLine());
  }

  @Test
  void itIsReadAnewAsLongAsItIs() throws IOException {
    KernelFile file = file("1 ".repeat(3000));
    file("2 ".repeat(4000));
    assertTrue(file.read());
    long sum = 0;
    while (file.hasMore()) {
      sum += file.number();
    }
    assertEquals(8000, sum);
  }

  @Test
  void whatCannotBeOpenedIsNobody() {
    assertNull(KernelFile.open(folder.resolve("nothing").toString()));
  }

  private static Seen seenOf(Runnable deed, int... others) throws Exception {
    return seenOf(() -> {}, deed, others);
  }

  /** What was seen while a thread of its own did this, when it had prepared for it. */
  private static Seen seenOf(Runnable preparation, Runnable deed, int... others) throws Exception {
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                Witness witness = new Witness(others);
                Look before = witness.newLook();
                Look after = witness.newLook();
                preparation.run();
                witness.look(before);
                deed.run();
                witness.look(after);
                Seen between = new Seen();
                between.between(before, after);
                seen.complete(between);
              } catch (Throwable error) {
                seen.completeExceptionally(error);
              }
            })
        .start();
    return seen.get();
  }

  /** Uses so much CPU time of its own. */
  private static void burn(long ns) {
    long end = LibC.cpuNs(LibC.CLOCK_THREAD_CPUTIME_ID) + ns;
    while (LibC.cpuNs(LibC.CLOCK_THREAD_CPUTIME_ID) < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aSleepIsAVoluntarySwitch() throws Exception {
    Seen seen = seenOf(() -> LockSupport.parkNanos(5_000_000));
    assertTrue(seen.ns >= 5_000_000);
    assertTrue(seen.voluntarySwitches >= 1);
    assertTrue(seen.cpuNs < seen.ns);
  }

  @Test
  void workIsCpuTime() throws Exception {
    Seen seen = seenOf(() -> burn(5_000_000));
    assertTrue(seen.cpuNs >= 5_000_000, seen.cpuNs + " ns");
  }

  @Test
  void freshMemoryIsMinorFaults() throws Exception {
    Seen seen =
        seenOf(
            () -> {
              Lines lines = new Lines(500);
              for (int line = 0; line < 500; line++) {
                Words.touch(lines.first(line));
              }
            });
    assertTrue(seen.minorFaults >= 500, seen.minorFaults + " faults");
  }

  @Test
  void aMoveIsAnotherCpu() throws Exception {
    assumeTrue(ALLOWED.size() >= 2, "nothing can move here");
    int from = ALLOWED.get(0);
    int to = ALLOWED.get(ALLOWED.size() - 1);
    Seen seen =
        seenOf(
            () -> Pinning.pinThisThread(List.of(from)), () -> Pinning.pinThisThread(List.of(to)));
    assertEquals(from, seen.cpuBefore);
    assertEquals(to, seen.cpu);
    assertEquals(Look.UNKNOWN, seen.interrupts); // those of two CPUs are not compared
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
    assertTrue(seen.involuntarySwitches >= 1, "no switch");
    assertTrue(seen.runDelayNs == Look.UNKNOWN || seen.runDelayNs > 0, "no delay");
    assertTrue(
        seen.othersRunDelayNs == Look.UNKNOWN || seen.othersRunDelayNs > 0, "none of the thief's");
  }

  @Test
  void softInterruptsAreCounted() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/softirqs")));
    Seen seen =
        seenOf(
            () -> Pinning.pinThisThread(ALLOWED.subList(0, 1)),
            () -> burn(50_000_000)); // some ticks of the timer
    assertTrue(seen.interrupts > 0);
  }

  @Test
  void stealTimeIsOfTheLastTwoReadings() {
    Steal steal = new Steal();
    assertEquals(Look.UNKNOWN, steal.sinceNs(ALLOWED.get(0)));
    steal.read();
    assertEquals(Look.UNKNOWN, steal.sinceNs(ALLOWED.get(0)));
    steal.read();
    assertEquals(0, steal.sinceNs(ALLOWED.get(0)) % 10_000_000);
    assertTrue(steal.sinceNs(ALLOWED.get(0)) >= 0);
    assertEquals(Look.UNKNOWN, steal.sinceNs(65535));
  }

  @Test
  void ofManyOthersNothingIsRead() {
    assertEquals(7, new Witness(new int[7]).newLook().othersRunDelayNs.length);
    assertEquals(0, new Witness(new int[8]).newLook().othersRunDelayNs.length);
  }
}
