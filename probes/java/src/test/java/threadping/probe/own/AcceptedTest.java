package threadping.probe.own;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jctools.queues.SpscArrayQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadping.probe.Experiments;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Experiment;
import threadping.probe.platform.Native;

/**
 * Known libraries' classes, and the examples: each is accepted, and measured by its experiments.
 */
@Timeout(120)
class AcceptedTest {
  @TempDir Path folder;

  private void accepts(String named, String experiments) {
    OwnMechanism own = OwnMechanism.find(named, null);
    String simple = named.replaceFirst(".*[.:$]", "");
    String tried = own.conformance().check();
    assertTrue(tried.contains(simple + ": "), tried);
    List<String> measured = new ArrayList<>();
    for (Experiment whole : Experiments.ALL) {
      Experiment experiment = own.in(whole);
      if (experiment != null) {
        measured.add(experiment.name());
        measure(experiment, simple);
      }
    }
    assertEquals(experiments, String.join(" ", measured));
    int[] cpus = Native.allowedCpus();
    Bare bare = own.bare(cpus[0], cpus[cpus.length - 1]);
    assertTrue(bare.nsPerOperation(1_000_000, 0) > 0);
  }

  private static void measure(Experiment experiment, String simple) {
    assertEquals(simple, experiment.mechanisms().get(0).name());
    TrialRequest request = TrialRequest.brief(experiment, null, null);
    request.lines = 1;
    TrialResult result = Experiments.run(request, experiment);
    assertFalse(result.cut());
    assertTrue(result.measured().ops() > 0, experiment.name());
  }

  @ParameterizedTest
  @CsvSource({
    "VolatileSignal, signal load",
    "ParkSignal, signal wakeup load",
    "SemaphoreSignal, signal wakeup load",
    "ExchangerSignal, signal",
    "AgronaRingBuffer, queue load",
    "JctoolsRelaxedSpsc, queue load",
    "Handoff, queue load",
    "FairLock, lock",
    "StampedWriteLock, lock",
    "SpinLock, lock"
  })
  void acceptsAnExample(String name, String experiments) throws Exception {
    long lines =
        Files.readAllLines(Path.of("../../examples/java", name + ".java")).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("/**"))
            .count();
    assertTrue(lines <= 15, lines + " lines");
    accepts(Compiled.example(folder, name) + ":" + name, experiments);
  }

  @ParameterizedTest
  @CsvSource({
    "org.jctools.queues.SpscArrayQueue, queue load",
    "org.jctools.queues.MpscArrayQueue, queue load",
    "org.agrona.concurrent.OneToOneConcurrentArrayQueue, queue load",
    "java.util.concurrent.ArrayBlockingQueue, queue load",
    "java.util.concurrent.LinkedTransferQueue, queue load",
    "java.util.concurrent.SynchronousQueue, queue load",
    "java.util.concurrent.ConcurrentLinkedQueue, queue load",
    "java.util.concurrent.locks.ReentrantLock, lock"
  })
  void acceptsALibrarysClassAsItIs(String name, String experiments) {
    accepts(Compiled.jar(SpscArrayQueue.class) + ":" + Compiled.agrona() + ":" + name, experiments);
  }

  /** The version that the user names, and not the one that this probe brings. */
  @Test
  void measuresTheUsersLibraryAndNotOurs() {
    String jar = Compiled.jar(SpscArrayQueue.class);
    Class<?> theirs = new ClassPath(jar).load(SpscArrayQueue.class.getName());
    assertNotSame(SpscArrayQueue.class, theirs);
  }
}
