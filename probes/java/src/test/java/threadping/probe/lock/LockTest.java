package threadping.probe.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;
import threadping.probe.platform.Pinning;

@Timeout(60)
class LockTest {
  private static final int NO_SUCH_CPU = 65535;

  private static LockResult run(Request request) throws InterruptedException {
    return new Lock().run(request);
  }

  @Test
  void unknownMechanism() {
    String sentence =
        assertFails(Failure.Code.UNKNOWN_MECHANISM, () -> run(Requests.lock("pigeon", 0)));
    assertEquals("No mechanism 'pigeon' in lock here.", sentence);
  }

  @Test
  void unknownParameter() {
    Request request = Requests.lock("monitor", 0);
    request.params = Map.of("wait", "spin");
    assertFails(Failure.Code.UNKNOWN_PARAM, () -> run(request));
  }

  @Test
  void tooMuchWork() {
    for (long steps : new long[] {-1, 1_000_001}) {
      for (String param : List.of("critical", "outside")) {
        Request request = Requests.lock("monitor", 0);
        request.params = Map.of(param, steps);
        String sentence = assertFails(Failure.Code.BAD_REQUEST, () -> run(request));
        assertTrue(sentence.contains("a whole number from 0 to 1000000"), sentence);
      }
    }
  }

  @Test
  void tooManyThreads() {
    Request request = Requests.lock("monitor", new Integer[4097]);
    assertEquals(
        "lock takes 1 to 4096 threads, not 4097.",
        assertFails(Failure.Code.BAD_REQUEST, () -> run(request)));
  }

  @Test
  void noThread() {
    assertFails(Failure.Code.BAD_REQUEST, () -> run(Requests.lock("monitor")));
  }

  @Test
  void aPinThatFails() {
    Request request = Requests.lock("monitor", null, NO_SUCH_CPU, null);
    String sentence = assertFails(Failure.Code.PIN_FAILED, () -> run(request));
    assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
  }

  @Test
  void aPinOfTheProcess() throws Exception {
    List<Integer> all = Pinning.allowedCpus();
    Integer last = all.get(all.size() - 1);
    Request request = Requests.lock("reentrant-lock", last, last, last);
    request.pinsProcess = true;
    try {
      LockResult result = run(request);
      assertEquals(List.of(last), Pinning.allowedCpus());
      assertEquals(List.of(last), result.threads.get(2).cpusStart);
      assertEquals(List.of(last), result.threads.get(0).cpusEnd);
    } finally {
      Pinning.pinProcess(all);
    }
  }

  @Test
  void aPinOfTheProcessThatNamesSomeCpusOnly() {
    Request request = Requests.lock("monitor", 0, null, 0);
    request.pinsProcess = true;
    assertFails(Failure.Code.BAD_REQUEST, () -> run(request));
  }

  @Test
  void aLongRoundOfWarmUpIsMeasuredToo() throws Exception {
    Request request = Requests.lock("get-and-add", null, null);
    request.warmupRounds = 1;
    request.warmupOps = 200_000;
    request.warmupLimitNs = 10_000_000_000L;
    LockResult result = run(request);
    assertTrue(result.warmupComplete);
    assertTrue(result.warmupOps >= 200_000);
    assertTrue(result.measuredOps > 0);
  }

  @Test
  void withoutWarmUpItOnlyFindsThePace() throws Exception {
    Request request = Requests.lock("monitor", null, null);
    request.warmupRounds = 0;
    LockResult result = run(request);
    assertTrue(result.warmupComplete);
    assertTrue(result.measuredOps > 0);
  }

  @Test
  void theBoundCutsAWarmUpToo() throws Exception {
    Request request = Requests.lock("monitor", null, null);
    request.warmupRounds = 1_000_000;
    request.warmupOps = 100_000;
    request.warmupLimitNs = 60_000_000_000L;
    request.boundNs = 100_000_000;
    LockResult result = run(request);
    assertTrue(result.cut);
    assertFalse(result.warmupComplete);
    assertEquals(0, result.measuredOps);
    assertEquals(0, result.waits.values.length);
    assertEquals(result.made, result.found);
  }

  @Test
  void theBoundCutsAWindow() throws Exception {
    Request request = Requests.lock("monitor", null, null);
    request.warmupRounds = 0;
    request.measureNs = 60_000_000_000L;
    request.boundNs = 1_000_000_000;
    LockResult result = run(request);
    assertTrue(result.cut);
    assertTrue(result.measuredOps > 0);
    assertTrue(result.measuredNs < request.measureNs);
    assertEquals(result.made, result.found);
  }

  @Test
  void visitsHaveBothWindowsOnOneLineInTurns() throws Exception {
    Request request = Requests.lock("monitor", 0);
    request.measureNs = 300_000_000;
    List<LockResult.Window> windows = run(request).windows;
    assertTrue(windows.size() >= 4);
    for (int first = 0; first + 1 < windows.size(); first += 2) {
      LockResult.Window one = windows.get(first);
      LockResult.Window other = windows.get(first + 1);
      assertEquals(one.line, other.line);
      assertEquals(first / 2 % 2 == 1, one.sampled);
      assertEquals(!one.sampled, other.sampled);
    }
    assertFalse(windows.get(0).line == windows.get(2).line);
  }

  @Test
  void theRoomForWaitsIsSharedAndNeverExceeded() throws Exception {
    int threads = 64;
    Request request = Requests.lock("reentrant-lock-fair", new Integer[threads]);
    request.warmupLimitNs = 1;
    request.measureNs = 1_000_000;
    LockResult result = run(request);
    assertTrue(LongStream.of(result.waits.counts).sum() <= 1 << 20);
    assertEquals(threads, result.threads.size());
  }
}
