package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.TrialRequest.HOUR;
import static threadping.probe.TrialRequest.MS;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.platform.Places;
import threadping.probe.toy.Toy;

/**
 * Whole trials of every experiment, of one mechanism that spins, one that sleeps and those of
 * virtual threads, and of the toy that shows what one costs. Those of every mechanism are asked of
 * the probes of all languages (tests/contract), what their lead does of C++.
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(120)
class WholeTrialTest {
  private static final List<Integer> ALLOWED = Places.allowedCpus();

  private final Variant asked;

  WholeTrialTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Stream.concat(Experiments.ALL.stream(), Stream.of(Toy.experiment(Experiment.Unit.NS)))
        .flatMap(experiment -> Variant.of(experiment).stream())
        .filter(one -> one.mechanism.virtual() || one.isFirstOfItsKind())
        .filter(Variant::hasDefaults)
        .toList();
  }

  /** Whether the threads wait for each other, as ping and pong do. */
  private boolean isInTurn() {
    return asked.experiment.windows() == Experiment.Unit.OPS;
  }

  /** On all CPUs, round robin; virtual threads have none. Of pairs, virtual ones are a barrier. */
  private TrialRequest request() {
    boolean isBarrier = asked.mechanism.virtual() && asked.experiment.mostThreads() > 2;
    return asked.request(
        IntStream.range(0, isBarrier ? 32 : 2)
            .mapToObj(each -> asked.mechanism.virtual() ? null : ALLOWED.get(each % ALLOWED.size()))
            .toArray(Integer[]::new));
  }

  /** What must be true of every result, be it cut or not. */
  private TrialResult sound(TrialRequest request) {
    TrialResult result = request.run(asked.experiment);
    assertEquals(request.experiment, result.experiment());
    assertEquals(request.mechanism, result.mechanism());
    assertEquals("System.nanoTime", result.clock().name());
    assertTrue(result.clock().costNs() > 0);
    assertTrue(result.distributions().keySet().containsAll(asked.mechanism.timed()));
    result
        .counts()
        .forEach(
            (name, held) -> {
              boolean isOfAll = held.exact() && !asked.experiment.stream();
              long ops = result.warmup().ops() + result.measured().ops();
              assertTrue(!isOfAll || ops == held.made(), ops + " of " + held + " " + name);
              assertTrue(held.found() == held.made() || !held.exact());
            });
    assertEquals(request.threads.size(), result.threads().size());
    for (int thread = 0; thread < request.threads.size(); thread++) {
      Integer cpu = request.threads.get(thread).cpu();
      List<Integer> wanted = cpu == null ? ALLOWED : List.of(cpu);
      assertEquals(wanted, result.threads().get(thread).cpusStart());
      assertEquals(wanted, result.threads().get(thread).cpusEnd());
    }
    return result;
  }

  /** To the last operation. A busy machine gets more time to warm up. */
  @Test
  void measuresAndLosesNothing() {
    TrialRequest request = request();
    TrialResult result = sound(request);
    while (result.warmup().ended().equals("limit") && request.warmup.limitNs < 10_000 * MS) {
      request.warmup.limitNs *= 4;
      result = sound(request);
    }
    assertFalse(result.cut());
    assertTrue(result.measured().ns() >= request.measureNs);
    assertTrue(result.warmup().ops() >= request.warmup.rounds * request.warmup.ops);
    assertTrue(result.counts().values().stream().anyMatch(TrialResult.Held::exact));
    if (isInTurn()) {
      long[] ops = result.windows().measuredOps(0);
      assertArrayEquals(ops, result.windows().measuredOps(1));
      assertTrue(2 * LongStream.of(ops).sum() < result.measured().ops(), "with lead-ins");
      assertEquals(0, result.censored());
      assertEquals(sampled(result), result.samples());
    }
    assertCounted(result);
  }

  /** What ping, which alone times, did in sampling windows. */
  private static long sampled(TrialResult result) {
    TrialResult.Windows windows = result.windows();
    return IntStream.range(windows.warmUp(), windows.count())
        .filter(window -> windows.every()[window] > 0)
        .mapToLong(window -> windows.ops()[0][window])
        .sum();
  }

  /** Of virtual threads, which the kernel does not know, their carriers are counted, once. */
  private void assertCounted(TrialResult result) {
    boolean isVirtual = asked.mechanism.virtual();
    for (int thread = 0; thread < result.threads().size(); thread++) {
      TrialResult.MeasuringThread own = result.threads().get(thread);
      boolean isCounted = thread == 0 || !isVirtual;
      assertEquals(isCounted, own.cpuNs() > 0, own.toString());
      assertTrue(isVirtual || own.migrations() == null || own.migrations() == 0);
    }
    assertEquals(isInTurn() || isVirtual, result.windows().switches() == null);
    assertEquals(
        isVirtual,
        result.evidence().lacking().stream().anyMatch(one -> one.contains("virtual threads")));
  }

  /** One that came to its bound before it had measured anything, on a busy machine, gets more. */
  @Test
  void isCutByItsBound() {
    TrialRequest request = request();
    request.patienceNs = HOUR; // which nobody waits for
    TrialResult result = null;
    for (long ms = 40; ms < 60_000 && (result == null || result.measured().ops() == 0); ms *= 4) {
      request.boundNs = ms * MS;
      request.measureNs = 1_000 * MS + 10 * request.boundNs; // for an hour's windows is no need
      result = sound(request);
    }
    assertTrue(result.cut());
    assertTrue(result.measured().ops() > 0);
    assertTrue(result.measured().ns() < request.measureNs);
  }
}
