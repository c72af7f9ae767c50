package threadping.probe.crew;

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
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import threadping.probe.Contract;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.lock.Lock;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.notify.Notify;
import threadping.probe.platform.Pinning;
import threadping.probe.signal.Signal;
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
  void ofSomethingUnknown() {
    assertEquals(
        "No mechanism 'pigeon' in signal here.",
        refusal(
            Failure.Code.UNKNOWN_MECHANISM,
            Signal.EXPERIMENT,
            request -> request.mechanism = "pigeon",
            null,
            null));
    assertEquals(
        "cas-one-line has no parameter 'naps'.",
        refusal(
            Failure.Code.UNKNOWN_PARAM,
            Signal.EXPERIMENT,
            request -> request.params = Map.of("naps", 3L),
            null,
            null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"critical", "outside"})
  void ofTooMuchWork(String param) {
    for (long steps : new long[] {-1, 1_000_001}) {
      assertEquals(
          "The parameter "
              + param
              + " of monitor must be a whole number from 0 to 1000000, not '"
              + steps
              + "'.",
          refusal(
              Failure.Code.BAD_REQUEST,
              Lock.EXPERIMENT,
              request -> request.params = Map.of(param, steps),
              null,
              null));
    }
  }

  @Test
  void ofTooManyOrTooFewThreads() {
    for (int threads : new int[] {1, 3}) {
      assertEquals(
          "signal takes 2 threads, ping and pong, not " + threads + ".",
          refusal(
              Failure.Code.BAD_REQUEST, Signal.EXPERIMENT, request -> {}, new Integer[threads]));
    }
    for (int threads : new int[] {0, 4097}) {
      assertEquals(
          "lock takes 1 to 4096 threads, not " + threads + ".",
          refusal(Failure.Code.BAD_REQUEST, Lock.EXPERIMENT, request -> {}, new Integer[threads]));
    }
  }

  @Test
  void ofHalfACrew() {
    assertEquals(
        "notify takes threads in crews of notifier and waiter: 2, 4, 6 and so on, not 3.",
        refusal(Failure.Code.BAD_REQUEST, Notify.EXPERIMENT, request -> {}, null, null, null));
    assertEquals(
        "notify takes 2 to 4096 threads, not 1.",
        refusal(Failure.Code.BAD_REQUEST, Notify.EXPERIMENT, request -> {}, (Integer) null));
  }

  /**
   * Each role's durations are a distribution of their own, and each is there, also an empty one.
   */
  @Test
  void rolesGoRoundAndEachHasItsDistribution() {
    Loops byThread =
        new NoWork() {
          @Override
          public int plain(int thread, int line, int count) {
            Thread.yield(); // there are more threads than CPUs
            return count;
          }

          @Override
          public int timed(int thread, int line, long openedNs, Timings timings, int count) {
            long now = System.nanoTime();
            for (int done = 0; done < count; done++) {
              timings.set(done, now - 10 - thread % 3, now);
            }
            return plain(thread, line, count);
          }
        };
    Experiment three =
        new Experiment(
            "three",
            List.of("red", "green", "blue"),
            3,
            6,
            Request.Unit.NS,
            "",
            List.of(
                new Mechanism(
                    "by-thread",
                    false,
                    List.of("first", "others"),
                    1,
                    List.of(),
                    (params, lines, threads) -> byThread)));
    Request request = Requests.brief(three, new Integer[6]);
    request.measureNs = 30 * MS; // ten windows: each gets a CPU in some
    Result result = Trial.run(request, three);
    assertEquals(
        List.of("red", "green", "blue", "red", "green", "blue"),
        result.threads.stream().map(thread -> thread.role).collect(Collectors.toList()));
    assertEquals(Set.of("first", "others"), result.distributions.keySet());
    assertArrayEquals(new long[] {10}, result.distributions.get("first").values);
    assertArrayEquals(new long[] {11, 12}, result.distributions.get("others").values);

    request.boundNs = MS;
    request.patienceNs = HOUR;
    Requests.warmUpForEver(request, HOUR);
    Result empty = Trial.run(request, three);
    assertEquals(Set.of("first", "others"), empty.distributions.keySet());
    assertEquals(0, Sums.samples(empty));
  }

  // ---- roles that are not in turn ----

  /** Threads of three, of which only the last is of the second role. */
  private static Experiment uneven() {
    Loops byThread =
        new NoWork() {
          @Override
          public int role(int thread) {
            return thread < 2 ? 0 : 1;
          }

          @Override
          public int timed(int thread, int line, long openedNs, Timings timings, int count) {
            Thread.yield(); // there are more threads than CPUs
            long now = System.nanoTime();
            timings.set(0, now - 10 - thread, now);
            return count;
          }

          @Override
          public Map<String, Result.Distribution> distributions() {
            return Map.of("sizes", new Result.Distribution(new long[] {3}, new long[] {1}, 0));
          }
        };
    return new Experiment(
            "uneven",
            List.of("many", "one"),
            3,
            3,
            Request.Unit.NS,
            "",
            List.of(
                new Mechanism(
                    "by-thread",
                    false,
                    List.of("many", "one"),
                    1,
                    List.of(),
                    (params, lines, threads) -> byThread)))
        .notInTurn();
  }

  @Test
  void loopsMaySayWhoIsWhatAndHaveFurtherDistributions() {
    Experiment uneven = uneven();
    Request request = Requests.brief(uneven, new Integer[3]);
    request.measureNs = 30 * MS; // ten windows: each gets a CPU in some
    Result result = Trial.run(request, uneven);
    assertEquals(
        List.of("many", "many", "one"),
        result.threads.stream().map(thread -> thread.role).collect(Collectors.toList()));
    assertArrayEquals(new long[] {10, 11}, result.distributions.get("many").values);
    assertArrayEquals(new long[] {12}, result.distributions.get("one").values);
    assertArrayEquals(new long[] {3}, result.distributions.get("sizes").values);
    assertEquals(3, result.distributions.size());
  }

  // ---- clocks ----

  @Test
  void comparesTheClocksOfDifferentRoles() {
    List<String> roles = List.of("a", "b", "a", "b");
    assertEquals(
        List.of(List.of(0, 1), List.of(0, 3), List.of(1, 2), List.of(2, 3)),
        Trial.comparedCpus(List.of(0, 1, 2, 3), roles));
    assertEquals(List.of(List.of(4, 5)), Trial.comparedCpus(List.of(5, 4, 5, 4), roles));
    assertEquals(List.of(), Trial.comparedCpus(List.of(1, 1, 2, 2), List.of("a", "a", "a", "a")));
    assertEquals(List.of(), Trial.comparedCpus(Arrays.asList(null, 1, null, 1), roles));
    List<Integer> many = IntStream.range(0, 100).boxed().collect(Collectors.toList());
    assertEquals(
        8,
        Trial.comparedCpus(
                many, many.stream().map(cpu -> "" + cpu % 2).collect(Collectors.toList()))
            .size());
  }

  @Test
  void saysHowFarTheClocksDifferWhereTheyAreCompared() {
    assumeTrue(FIRST != LAST, "this machine lets us use one CPU only");
    Result pinned = Trial.run(Requests.brief(Notify.EXPERIMENT, FIRST, LAST), Notify.EXPERIMENT);
    assertEquals(List.of(), Contract.complaints("result", pinned.json()));
    assertTrue(pinned.skew.leastNs() <= pinned.skew.mostNs());
    assertNull(Trial.run(Requests.brief(Notify.EXPERIMENT, null, null), Notify.EXPERIMENT).skew);
    assertNull(Trial.run(Requests.brief(Lock.EXPERIMENT, FIRST, LAST), Lock.EXPERIMENT).skew);
  }

  @Test
  void withWindowsOfAnotherUnit() {
    assertEquals(
        "The windows of signal are in ops.",
        refusal(
            Failure.Code.BAD_REQUEST,
            Signal.EXPERIMENT,
            request -> request.windows.unit = Request.Unit.NS,
            null,
            null));
    assertEquals(
        "The windows of lock are in ns.",
        refusal(
            Failure.Code.BAD_REQUEST,
            Lock.EXPERIMENT,
            request -> request.windows.unit = Request.Unit.OPS,
            null,
            null));
  }

  @Test
  void whereAThreadCannotBePinned() {
    for (Experiment experiment : Experiments.ALL) {
      for (Integer[] cpus :
          new Integer[][] {{NO_SUCH_CPU, null}, {null, NO_SUCH_CPU}, {NO_SUCH_CPU, NO_SUCH_CPU}}) {
        String sentence =
            refusal(
                Failure.Code.PIN_FAILED,
                experiment,
                request -> request.patienceNs = HOUR, // which nobody waits for
                cpus);
        assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
        assertTrue(sentence.contains("this process may use CPUs "), sentence);
      }
    }
  }

  // ---- a process that is pinned as a whole ----

  private static void pinProcess(Request request) {
    request.pinsProcess = true;
  }

  /** What all threads may use that are asked to run on these. */
  private static List<Integer> used(Experiment experiment, Integer... cpus) {
    Request request = Requests.brief(experiment, cpus);
    pinProcess(request);
    List<Result.MeasuringThread> threads = Trial.run(request, experiment).threads;
    for (Result.MeasuringThread thread : threads) {
      assertEquals(threads.get(0).cpusStart, thread.cpusStart);
      assertEquals(threads.get(0).cpusStart, thread.cpusEnd);
    }
    return threads.get(0).cpusStart;
  }

  @Test
  void aPinnedProcessRunsAllThreadsOnAllItsCpus() {
    List<Integer> both = FIRST == LAST ? List.of(FIRST) : List.of(FIRST, LAST);
    assertEquals(both, used(Signal.EXPERIMENT, LAST, FIRST));
    assertEquals(List.of(LAST), used(Lock.EXPERIMENT, LAST, LAST, LAST));
    assertEquals(List.of(LAST), Pinning.allowedCpus());
  }

  @Test
  void aProcessThatIsPinnedToNothing() {
    assertEquals(ALLOWED, used(TOY, null, null));
  }

  @Test
  void aProcessIsNotPinnedWhereACpuIsMissing() {
    assertEquals(
        "With pin 'process' either every thread has a CPU or none has.",
        refusal(Failure.Code.BAD_REQUEST, TOY, TrialTest::pinProcess, FIRST, null));
    refusal(Failure.Code.PIN_FAILED, TOY, TrialTest::pinProcess, FIRST, NO_SUCH_CPU);
  }

  // ---- virtual threads ----

  private static void onVirtualThreads(Request request) {
    request.mechanism = "virtual-park";
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void whatThisJavaCannotDo() {
    assertEquals(
        "virtual-park needs Java 21.",
        refusal(
            Failure.Code.UNSUPPORTED, Signal.EXPERIMENT, TrialTest::onVirtualThreads, null, null));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreadsCannotBePinned() {
    assertEquals(
        "virtual-park has virtual threads, which have no CPU of their own: measure it unpinned.",
        refusal(Failure.Code.BAD_REQUEST, Signal.EXPERIMENT, TrialTest::onVirtualThreads, 0, null));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void whatVirtualThreadsUseIsPings() {
    Request request = Requests.brief(Signal.EXPERIMENT, null, null);
    onVirtualThreads(request);
    request.measureNs = 20 * MS;
    Result result = Trial.run(request, Signal.EXPERIMENT);
    assertTrue(result.threads.get(0).counters.cpuNs() > 0);
    assertEquals(0, result.threads.get(1).counters.cpuNs());
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
            (params, lines, threads) -> {
              made.add(Pinning.allowedCpus());
              return TOY.mechanisms.get(0).maker.loops(params, lines, threads);
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
    Loops claiming =
        new NoWork() {
          @Override
          public Map<String, Result.Held> counts(long made) {
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

  @Test
  void oneWorkerHasSamples() {
    Request request = Requests.brief(Lock.EXPERIMENT, (Integer) null);
    request.measureNs = 30 * MS; // ten windows: it gets a CPU in some
    assertTrue(Sums.samples(Trial.run(request, Lock.EXPERIMENT)) > 0);
  }
}
