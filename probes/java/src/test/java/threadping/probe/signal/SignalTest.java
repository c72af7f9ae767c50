package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

@Timeout(60)
class SignalTest {
  private static final int NO_SUCH_CPU = 65535;

  @Test
  void unknownMechanism() {
    Request request = Requests.brief("pigeon", null, null);
    String sentence = assertFails(Failure.Code.UNKNOWN_MECHANISM, () -> Signal.run(request));
    assertTrue(sentence.contains("'pigeon'"), sentence);
  }

  @Test
  void unknownParameter() {
    Request request = Requests.brief("cas-one-line", null, null);
    request.params = Map.of("naps", 3L);
    String sentence = assertFails(Failure.Code.UNKNOWN_PARAM, () -> Signal.run(request));
    assertTrue(sentence.contains("'naps'"), sentence);
  }

  @Test
  void threeThreads() {
    Request request = Requests.brief("cas-one-line", null, null, null);
    assertFails(Failure.Code.BAD_REQUEST, () -> Signal.run(request));
  }

  @Test
  void aPinThatFails() {
    for (Integer[] cpus : new Integer[][] {{NO_SUCH_CPU, null}, {null, NO_SUCH_CPU}}) {
      Request request = Requests.brief("condition", cpus);
      String sentence = assertFails(Failure.Code.PIN_FAILED, () -> Signal.run(request));
      assertTrue(sentence.startsWith("CPU 65535 cannot be used here"), sentence);
      assertTrue(sentence.contains("this process may use CPUs "), sentence);
    }
  }

  @Test
  void theBoundCutsAWarmUpToo() throws Exception {
    Request request = Requests.bounded(50, "condition", null, null);
    request.warmupOps = 1_000_000_000;
    request.warmupLimitNs = 60_000_000_000L;
    Result result = Signal.run(request);
    assertTrue(result.cut);
    assertEquals(0, result.measuredOps);
    assertTrue(result.warmupOps > 0);
  }

  @Test
  void withoutWarmUpItOnlyFindsTheLengthOfAVisit() throws Exception {
    Request request = Requests.brief("cas-one-line", null, null);
    request.warmupRounds = 0;
    Result result = Signal.run(request);
    assertTrue(result.warmupComplete);
    assertTrue(result.measuredOps > 0);
  }

  @Test
  void everyHandOverIsCounted() throws Exception {
    Result result = Signal.run(Requests.brief("add-one-line", null, null));
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
