package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import threadping.probe.Experiments;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.experiments.ring.Ring;
import threadping.probe.platform.Pinning;
import threadping.probe.toy.Toy;

/**
 * Whole trials of every experiment, of one mechanism that spins and one that sleeps with each
 * choice of its parameters, and of the toy that shows what one costs. Those of every mechanism are
 * asked of the probes of all languages (tests/contract).
 */
@ParameterizedClass
@MethodSource("variants")
@Timeout(120)
class WholeTrialTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();

  private final Variant asked;

  WholeTrialTest(Variant asked) {
    this.asked = asked;
  }

  static List<Variant> variants() {
    return Stream.concat(Experiments.ALL.stream(), Stream.of(Toy.experiment(Request.Unit.NS)))
        .flatMap(experiment -> Variant.of(experiment).stream())
        .filter(one -> one.mechanism.virtual() || one.isFirstOfItsKind())
        .filter(one -> one.hasDefaults() || one.isOfFirst() && one.experiment != Ring.EXPERIMENT)
        .toList();
  }

  /** Whether the threads wait for each other, as ping and pong do. */
  private boolean isInTurn() {
    return asked.experiment.windows() == Request.Unit.OPS;
  }

  /** What must be true of every result, be it cut or not. */
  private Result sound(Request request) {
    Result result = Trial.run(request, asked.experiment);
    assertEquals(request.experiment, result.experiment);
    assertEquals(request.mechanism, result.mechanism);

    Result.Windows windows = result.windows;
    assertEquals(request.cpus.size(), windows.ops.length);
    long ops = 0;
    for (int thread = 0; thread < request.cpus.size(); thread++) {
      ops += LongStream.of(Sums.ops(result, thread)).sum();
    }
    if (!asked.experiment.stream()) { // all of whose roles count
      assertTrue(ops <= result.measuredOps, ops + " of " + result.measuredOps + " in windows");
    }
    assertTrue(Sums.ns(result) <= result.measuredNs);
    assertEquals(isInTurn() || asked.mechanism.virtual(), windows.switches == null);
    for (int window = 0; window < windows.count; window++) {
      assertTrue(windows.line[window] < request.lines);
    }

    assertTrue(result.distributions.keySet().containsAll(asked.mechanism.timed()));
    if (isInTurn()) {
      assertEquals(opsInSamplingWindows(result), Sums.samples(result)); // ping's; it alone times
    } else {
      for (String name : asked.mechanism.timed()) {
        long samples = Sums.samples(result.distributions.get(name));
        assertTrue(samples <= result.measuredOps, name);
      }
    }
    result.counts.forEach(
        (name, held) -> {
          boolean isOfAll = held.exact() && !asked.experiment.stream();
          assertTrue(!isOfAll || result.warmUpOps + result.measuredOps == held.made(), name);
          assertTrue(held.found() == held.made() || !held.exact());
        });

    assertEquals(request.cpus.size(), result.threads.size());
    for (int thread = 0; thread < request.cpus.size(); thread++) {
      Integer cpu = request.cpus.get(thread);
      List<Integer> wanted = cpu == null ? ALLOWED : List.of(cpu);
      assertEquals(wanted, result.threads.get(thread).cpusStart);
      assertEquals(wanted, result.threads.get(thread).cpusEnd);
    }
    return result;
  }

  private static long opsInSamplingWindows(Result result) {
    long ops = 0;
    for (int window = result.windows.warmUp; window < result.windows.count; window++) {
      ops += result.windows.isSampling(window) ? result.windows.ops[0][window] : 0;
    }
    return ops;
  }

  /**
   * A visit is a throughput and a sampling window on one line, and the lines are visited in turn.
   */
  private void assertVisits(Result result, int lines) {
    Result.Windows windows = result.windows;
    int measured = windows.count - windows.warmUp;
    assertTrue(measured >= 2 && measured % 2 == 0, measured + " windows");
    Set<Integer> firstRound = new HashSet<>();
    for (int visit = 0; visit < measured / 2; visit++) {
      int first = windows.warmUp + 2 * visit;
      assertEquals(windows.line[first], windows.line[first + 1]);
      // an outsider alternates which comes first, so that what drifts falls on both alike
      assertEquals(!isInTurn() && visit % 2 == 1, windows.isSampling(first));
      assertEquals(!windows.isSampling(first), windows.isSampling(first + 1));
      if (visit < lines) {
        assertTrue(firstRound.add(windows.line[first]), "a line before its turn");
      } else {
        assertEquals(windows.line[first - 2 * lines], windows.line[first]);
      }
    }
  }

  /**
   * What must be true of every trial that came to its end, to the last operation. One whose warm-up
   * came to its limit, on a busy machine, gets more time.
   */
  private void complete(Request request) {
    Result result = sound(request);
    while (result.warmUpEnded == Result.Ended.LIMIT && request.warmUp.limitNs < 10_000 * MS) {
      request.warmUp.limitNs *= 4;
      result = sound(request);
    }
    assertFalse(result.cut);
    assertTrue(result.measuredNs >= request.measureNs);
    assertEquals(Result.Ended.ROUNDS, result.warmUpEnded);
    assertTrue(result.warmUpOps >= request.warmUp.wantedOps());
    assertTrue(result.counts.values().stream().anyMatch(Result.Held::exact) || isUnprotected());
    assertVisits(result, request.lines);
    if (isInTurn()) {
      long[] ops = Sums.ops(result, 0);
      assertArrayEquals(ops, Sums.ops(result, 1));
      long leadIns = (long) ops.length / 2 * Visit.of(ops[0], request.windows).leadIn();
      assertEquals(2 * (LongStream.of(ops).sum() + leadIns), result.measuredOps);
      assertEquals(0, Sums.censored(result));
    }
    if (!asked.mechanism.virtual()) {
      for (int thread = 0; thread < request.cpus.size(); thread++) {
        Long migrations = result.threads.get(thread).counters.migrations();
        assertTrue(result.threads.get(thread).counters.cpuNs() > 0);
        assertTrue(request.cpus.get(thread) == null || migrations == null || migrations == 0);
      }
    }
  }

  @Test
  void onTwoCpus() {
    assumeFalse(asked.mechanism.virtual());
    assumeTrue(ALLOWED.size() >= 2, "this machine lets us use one CPU only");
    complete(asked.request(ALLOWED.get(1), ALLOWED.get(0)));
  }

  @Test
  void unpinned() {
    boolean isAsked = ALLOWED.size() >= 2 && !asked.mechanism.virtual();
    assumeTrue(asked.isOfFirst() && asked.hasDefaults() || !isAsked, "a question to the engine");
    complete(asked.request(null, null));
  }

  @Test
  void onOneCpu() {
    assumeFalse(asked.mechanism.virtual());
    Request request = asked.request(ALLOWED.get(0), ALLOWED.get(0));
    request.lines = 1;
    Requests.warmUp(request, 0, 1, 0);
    request.warmUp.lookNs = MS;
    if (!isInTurn()) {
      complete(request);
    } else if (asked.keepsItsCpu()) {
      for (long ops : Sums.ops(sound(request), 0)) {
        // a time slice each, or a few where somebody else is let onto the CPU meanwhile
        assertTrue(ops <= request.windows.throughput / 10, () -> ops + " of a window");
      }
    } else {
      complete(request);
    }
  }

  /** One that came to its bound before it had measured anything, on a busy machine, gets more. */
  @Test
  void cutByItsBound() {
    assumeTrue(asked.hasDefaults(), "a question to the engine");
    Request request = asked.request(null, null);
    request.measureNs = HOUR;
    request.patienceNs = HOUR; // which nobody waits for
    Result result = null;
    for (long ms = 40;
        ms < 60_000 && (result == null || result.windows.count == result.windows.warmUp);
        ms *= 4) {
      request.boundNs = ms * MS;
      result = sound(request);
    }
    assertTrue(result.cut);
    assertTrue(result.measuredOps > 0);
    assertTrue(result.measuredNs < request.measureNs);
  }

  @Test
  void cutByItsBoundInTheWarmUp() {
    assumeTrue(asked.isOfFirst() && asked.hasDefaults(), "a question to the engine");
    Request request = asked.request(null, null);
    Requests.warmUpForEver(request, HOUR);
    request.patienceNs = HOUR;
    request.boundNs = 10 * MS;
    Result result = sound(request);
    assertTrue(result.cut);
    assertEquals(Result.Ended.LIMIT, result.warmUpEnded);
    assertEquals(0, result.measuredOps);
    assertEquals(result.windows.warmUp, result.windows.count);
    assertEquals(0, Sums.samples(result));
  }

  @Test
  void endsItsWarmUpAtTheLimit() {
    assumeTrue(asked.isOfFirst() && asked.hasDefaults(), "a question to the engine");
    Request request = asked.request(null, null);
    Requests.warmUpForEver(request, MS);
    Result result = sound(request);
    assertFalse(result.cut);
    assertEquals(Result.Ended.LIMIT, result.warmUpEnded);
    assertTrue(result.warmUpNs >= MS);
    assertTrue(result.warmUpOps > 0);
    assertVisits(result, request.lines);
  }

  /** One crew, and sixteen. */
  @Test
  void ofFewThreadsAndOfMore() {
    assumeTrue(asked.experiment.mostThreads() > 2 && asked.experiment != Ring.EXPERIMENT);
    assumeTrue(asked.hasDefaults(), "a question to the engine");
    int crew = asked.experiment.roles().size();
    if (crew == 1) { // two are asked above
      complete(asked.request(everywhere(1)));
    }
    complete(asked.request(everywhere(16 * crew)));
  }

  private boolean isUnprotected() {
    return asked.mechanism.name().equals("unprotected");
  }

  private Integer[] everywhere(int threads) {
    Integer[] cpus = new Integer[threads];
    for (int thread = 0; thread < threads && !asked.mechanism.virtual(); thread++) {
      cpus[thread] = ALLOWED.get(thread % ALLOWED.size());
    }
    return cpus;
  }
}
