package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.SignalResult;
import threadping.probe.platform.Pinning;

@Timeout(60)
class SignalTest {
  private static final int NO_SUCH_CPU = 65535;

  @Test
  void unknownMechanism() {
    Request request = Requests.brief("pigeon", null, null);
    String sentence = assertFails(Failure.Code.UNKNOWN_MECHANISM, () -> new Signal().run(request));
    assertTrue(sentence.contains("'pigeon'"), sentence);
  }

  @Test
  void unknownParameter() {
    Request request = Requests.brief("cas-one-line", null, null);
    request.params = Map.of("naps", 3L);
    String sentence = assertFails(Failure.Code.UNKNOWN_PARAM, () -> new Signal().run(request));
    assertTrue(sentence.contains("'naps'"), sentence);
  }

  @Test
  void threeThreads() {
    Request request = Requests.brief("cas-one-line", null, null, null);
    assertFails(Failure.Code.BAD_REQUEST, () -> new Signal().run(request));
  }

  @Test
  void aPinThatFails() {
    for (Integer[] cpus : new Integer[][] {{NO_SUCH_CPU, null}, {null, NO_SUCH_CPU}}) {
      Request request = Requests.brief("condition", cpus);
      String sentence = assertFails(Failure.Code.PIN_FAILED, () -> new Signal().run(request));
      assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
      assertTrue(sentence.contains("this process may use CPUs "), sentence);
    }
  }

  @Test
  void aPinOfTheProcess() throws Exception {
    List<Integer> all = Pinning.allowedCpus();
    Integer last = all.get(all.size() - 1);
    Request request = Requests.brief("park", last, last);
    request.pinsProcess = true;
    try {
      SignalResult result = new Signal().run(request);
      assertEquals(List.of(last), Pinning.allowedCpus());
      for (SignalResult.MeasuringThread thread : result.threads) {
        assertEquals(List.of(last), thread.cpusStart);
        assertEquals(List.of(last), thread.cpusEnd);
      }
    } finally {
      Pinning.pinProcess(all);
    }
  }

  @Test
  void aPinOfTheProcessToTheSetOfAllCpus() throws Exception {
    List<Integer> all = Pinning.allowedCpus();
    Integer last = all.get(all.size() - 1);
    Request request = Requests.brief("park", last, all.get(0));
    request.pinsProcess = true;
    try {
      SignalResult result = new Signal().run(request);
      List<Integer> both = all.size() == 1 ? all : List.of(all.get(0), last);
      assertEquals(both, result.threads.get(0).cpusStart);
      assertEquals(both, result.threads.get(1).cpusEnd);
    } finally {
      Pinning.pinProcess(all);
    }
  }

  @Test
  void aPinOfTheProcessToNothing() throws Exception {
    Request request = Requests.brief("park", null, null);
    request.pinsProcess = true;
    assertEquals(Pinning.allowedCpus(), new Signal().run(request).threads.get(0).cpusStart);
  }

  @Test
  void aPinOfTheProcessThatNamesOneCpuOnly() {
    Request request = Requests.brief("park", 0, null);
    request.pinsProcess = true;
    String sentence = assertFails(Failure.Code.BAD_REQUEST, () -> new Signal().run(request));
    assertTrue(sentence.contains("all or none"), sentence);
  }

  @Test
  void aPinOfTheProcessThatFails() {
    Request request = Requests.brief("park", NO_SUCH_CPU, NO_SUCH_CPU);
    request.pinsProcess = true;
    assertFails(Failure.Code.PIN_FAILED, () -> new Signal().run(request));
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void whatThisJavaCannotDo() {
    Request request = Requests.brief("virtual-park", null, null);
    String sentence = assertFails(Failure.Code.UNSUPPORTED, () -> new Signal().run(request));
    assertEquals("virtual-park needs Java 21.", sentence);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreadsCannotBePinned() {
    Request request = Requests.brief("virtual-park", 0, null);
    String sentence = assertFails(Failure.Code.BAD_REQUEST, () -> new Signal().run(request));
    assertTrue(sentence.contains("measure it unpinned"), sentence);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void whatVirtualThreadsUseIsPings() throws Exception {
    SignalResult result = new Signal().run(Requests.brief("virtual-park", null, null));
    assertTrue(result.threads.get(0).counters.cpuNs > 0);
    assertEquals(0, result.threads.get(1).counters.cpuNs);
    assertEquals(Pinning.allowedCpus(), result.threads.get(1).cpusEnd);
  }

  @Test
  void aLongRoundOfWarmUpIsMeasuredToo() throws Exception {
    Request request = Requests.brief("condition", null, null);
    request.warmupOps = 1_000_000;
    SignalResult result = new Signal().run(request);
    assertTrue(result.warmupOps > 0);
    assertTrue(result.measuredOps > 0);
  }

  @Test
  void theBoundCutsAWarmUpToo() throws Exception {
    Request request = Requests.bounded(50, "condition", null, null);
    request.warmupOps = 1_000_000_000;
    request.warmupLimitNs = 60_000_000_000L;
    SignalResult result = new Signal().run(request);
    assertTrue(result.cut);
    assertEquals(0, result.measuredOps);
    assertTrue(result.warmupOps > 0);
  }

  @Test
  void withoutWarmUpItOnlyFindsTheLengthOfAVisit() throws Exception {
    Request request = Requests.brief("cas-one-line", null, null);
    request.warmupRounds = 0;
    SignalResult result = new Signal().run(request);
    assertTrue(result.warmupComplete);
    assertTrue(result.measuredOps > 0);
  }

  @Test
  void everyHandOverIsCounted() throws Exception {
    SignalResult result = new Signal().run(Requests.brief("add-one-line", null, null));
    long singles = 0;
    for (long count : result.singles.counts) {
      singles += count;
    }
    int blocks = result.lines.stream().mapToInt(line -> line.length).sum();
    long roundTrips =
        (long) blocks * (Math.max(1, result.blockRoundTrips / 64) + result.blockRoundTrips);
    assertEquals(2 * (roundTrips + singles), result.measuredOps);
  }
}
