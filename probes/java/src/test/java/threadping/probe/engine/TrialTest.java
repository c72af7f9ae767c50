package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;
import static threadping.probe.Requests.NO_SUCH_CPU;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.experiments.notify.Notify;
import threadping.probe.experiments.signal.Signal;
import threadping.probe.platform.Pinning;
import threadping.probe.toy.Toy;

/** What a trial refuses, where it stands, and how its counts are held against each other. */
@Timeout(60)
class TrialTest {
  private static final List<Integer> ALLOWED = Pinning.allowedCpus();
  private static final int FIRST = ALLOWED.get(0);
  private static final int LAST = ALLOWED.get(ALLOWED.size() - 1);
  private static final Experiment TOY = Toy.experiment(Request.Unit.OPS);

  /** Some tests change the affinity of this process. */
  @AfterEach
  void putBack() {
    Pinning.pinProcess(ALLOWED);
  }

  private static String refusal(
      Failure.Code code, Experiment experiment, Consumer<Request> change, Integer... cpus) {
    Request request = Requests.brief(experiment, cpus);
    change.accept(request);
    return assertFails(code, () -> Trial.run(request, experiment));
  }

  @Test
  void ofHalfAPair() {
    assertEquals(
        "notify takes pairs of threads, each a notifier and a waiter, not 3 threads.",
        refusal(Failure.Code.BAD_REQUEST, Notify.EXPERIMENT, request -> {}, null, null, null));
  }

  @Test
  void ofMoreMemoryThanItMayTake() {
    String sentence =
        refusal(
            Failure.Code.BAD_REQUEST,
            Notify.EXPERIMENT,
            request -> request.params = Map.of("buffer", 1L << 20),
            new Integer[4096]);
    assertTrue(sentence.endsWith("lower --threads or the parameter 'buffer'."), sentence);
  }

  /** Three roles, each of whose threads has its own durations. */
  private static Experiment three(Acting acting) {
    List<Role> roles =
        List.of(
            new Role("red", true),
            new Role("green", true),
            new Role(
                "blue", true, List.of(new Role.NumberInfo("sizes", "stones")), List.of("throws")));
    return new Experiment(
        "three",
        roles,
        3,
        6,
        Request.Unit.NS,
        "",
        false,
        false,
        List.of(
            new Mechanism(
                "by-thread", false, List.of("first", "others"), 1, List.of(), setup -> acting)));
  }

  /** Times what lasts 10, 11 and 12 ns. */
  private static class ByThread extends Acting {
    @Override
    public int roleOf(int thread) {
      return thread % 3;
    }

    @Override
    public int run(int thread, Task task, Samples samples) {
      long now = System.nanoTime();
      for (int each = 0; each < task.count() && task.every() > 0; each++) {
        samples.add(now - 10 - thread % 3, now);
      }
      if (roleOf(thread) == 2) {
        samples.number(0, 3);
        samples.tally(0, 2, 1);
      }
      Thread.yield(); // there are more threads than CPUs
      return task.count();
    }
  }

  /** Each role's are a distribution of their own, and each is there, also an empty one. */
  @Test
  void rolesGoRoundAndEachHasItsDistribution() {
    Experiment three = three(new ByThread());
    Request request = Requests.brief(three, new Integer[6]);
    request.measureNs = 30 * MS; // ten windows: each gets a CPU in some
    Result result = Trial.run(request, three);
    assertEquals(
        List.of("red", "green", "blue", "red", "green", "blue"),
        result.threads.stream().map(thread -> thread.role).collect(Collectors.toList()));
    assertEquals(Set.of("first", "others", "sizes"), result.distributions.keySet());
    assertArrayEquals(new long[] {10}, result.distributions.get("first").values());
    assertArrayEquals(new long[] {11, 12}, result.distributions.get("others").values());
    Result.Distribution sizes = result.distributions.get("sizes");
    assertEquals("stones", sizes.unit());
    assertArrayEquals(new long[] {3}, sizes.values());

    request.boundNs = MS;
    request.patienceNs = HOUR;
    Requests.warmUpForEver(request, HOUR);
    Result empty = Trial.run(request, three);
    assertTrue(empty.distributions.keySet().containsAll(Set.of("first", "others")));
    assertEquals(0, Sums.samples(empty));
  }

  /** Of sampling windows of the measuring phase only; unless nothing may be compared. */
  @Test
  void talliesAreCounts() {
    Acting withCounts =
        new ByThread() {
          @Override
          public Map<String, Result.Held> counts(long[] ops) {
            return Map.of("stones", new Result.Held(7, 7, true));
          }
        };
    Experiment three = three(withCounts);
    Request request = Requests.brief(three, new Integer[3]);
    request.measureNs = 30 * MS;
    Result result = Trial.run(request, three);
    Result.Held thrown = result.counts.get("throws");
    assertEquals(2 * thrown.found(), thrown.made());
    assertTrue(thrown.found() > 0 && !thrown.exact());
    assertEquals(7, result.counts.get("stones").made());
    Experiment stopped = three(new ByThread());
    assertEquals(Map.of(), Trial.run(request, stopped).counts);
  }

  @Test
  void aStageMaySayWhoIsWhat() {
    Experiment three =
        three(
            new ByThread() {
              @Override
              public int roleOf(int thread) {
                return thread < 3 ? 0 : 1;
              }
            });
    Request request = Requests.brief(three, new Integer[4]);
    assertEquals(
        List.of("red", "red", "red", "green"),
        Trial.run(request, three).threads.stream().map(thread -> thread.role).toList());
  }

  // ---- clocks ----

  /** Pairs of an even thread and the next one. */
  private static Acting inPairs() {
    return new Acting() {
      @Override
      public boolean comparesClocks(int one, int other) {
        return one / 2 == other / 2;
      }
    };
  }

  @Test
  void comparesTheClocksOfThoseWhoHoldTheirReadingsAgainstEachOther() {
    assertEquals(
        Set.of(List.of(0, 1), List.of(2, 3)), Trial.comparedCpus(List.of(0, 1, 3, 2), inPairs()));
    assertEquals(Set.of(List.of(4, 5)), Trial.comparedCpus(List.of(5, 4, 5, 4), inPairs()));
    assertEquals(Set.of(), Trial.comparedCpus(List.of(1, 1, 2, 2), inPairs()));
    assertEquals(Set.of(), Trial.comparedCpus(List.of(1, 2, 3, 4), new Acting()));
    assertEquals(Set.of(), Trial.comparedCpus(Arrays.asList(null, 1, null, 1), inPairs()));
    List<Integer> many = IntStream.range(0, 100).boxed().collect(Collectors.toList());
    assertEquals(8, Trial.comparedCpus(many, inPairs()).size());
  }

  @Test
  void saysHowFarTheClocksDifferWhereTheyAreCompared() {
    assumeTrue(FIRST != LAST, "this machine lets us use one CPU only");
    Result pinned = Trial.run(Requests.brief(Notify.EXPERIMENT, FIRST, LAST), Notify.EXPERIMENT);
    assertTrue(pinned.skew.leastNs() <= pinned.skew.mostNs());
    assertNull(Trial.run(Requests.brief(Notify.EXPERIMENT, null, null), Notify.EXPERIMENT).skew);
  }

  @Test
  void whereAThreadCannotBePinned() {
    for (Experiment experiment : List.of(Signal.EXPERIMENT, Notify.EXPERIMENT)) {
      for (Integer[] cpus : new Integer[][] {{NO_SUCH_CPU, null}, {null, NO_SUCH_CPU}}) {
        String sentence =
            refusal(
                Failure.Code.PIN_FAILED,
                experiment,
                request -> request.patienceNs = HOUR, // which nobody waits for
                cpus);
        assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
      }
    }
  }

  // ---- a process that is pinned as a whole ----

  private static void pinProcess(Request request) {
    request.pinsProcess = true;
  }

  @Test
  void aProcessIsNotPinnedWhereACpuIsMissing() {
    refusal(Failure.Code.PIN_FAILED, TOY, TrialTest::pinProcess, FIRST, NO_SUCH_CPU);
  }

  // ---- home ----

  /**
   * The cells are made by whoever is not pinned, since java.util.concurrent asks for the number of
   * CPUs then; another thread, which is pinned, touches their memory.
   */
  @Test
  void aHomeIsWhereTheCellsMemoryIsTouchedAndNothingElse() {
    List<List<Integer>> made = new ArrayList<>();
    Experiment making =
        Experiments.with(
            TOY,
            setup -> {
              made.add(Pinning.allowedCpus());
              return TOY.mechanisms().get(0).maker().stage(setup);
            });
    Request request = Requests.brief(making, null, null);
    for (List<Integer> home : Arrays.asList(List.of(FIRST), List.of(LAST), ALLOWED, null)) {
      request.home = home;
      Result result = Trial.run(request, making);
      assertEquals(ALLOWED, Pinning.allowedCpus());
      assertEquals(ALLOWED, result.threads.get(0).cpusStart);
      assertTrue(result.homeNodes == null || !result.homeNodes.isEmpty());
    }
    assertEquals(Collections.nCopies(4, ALLOWED), made);
    String sentence =
        refusal(
            Failure.Code.PIN_FAILED, TOY, wanted -> wanted.home = List.of(NO_SUCH_CPU), null, null);
    assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
  }

  // ---- counts ----

  /** A trial that claims that so many more were found than made. */
  private static Result held(boolean exact, long more) {
    Acting claiming =
        new Acting() {
          @Override
          public Map<String, Result.Held> counts(long[] ops) {
            return Map.of("pebbles", new Result.Held(1_234_567, 1_234_567 + more, exact));
          }
        };
    return Experiments.run(Requests.brief(TOY, null, null), TOY, claiming);
  }

  @Test
  void countsThatAreExactMustBeEqual() {
    assertFalse(held(true, 0).cut);
    assertEquals(
        "Of 1,234,567 pebbles that were made, 1,234,564 were found: 3 lost.",
        assertFails(Failure.Code.COUNT_WRONG, () -> held(true, -3)));
    assertEquals(
        "Of 1,234,567 pebbles that were made, 1,246,912 were found: 12,345 doubled.",
        assertFails(Failure.Code.COUNT_WRONG, () -> held(true, 12_345)));
    assertFalse(held(false, -3).cut); // the difference is the result
  }
}
