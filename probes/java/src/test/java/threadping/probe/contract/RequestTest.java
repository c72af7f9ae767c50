package threadping.probe.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadping.probe.Failure;

class RequestTest {
  private static final String WHOLE =
      "{'schema': 4, 'experiment': 'signal', 'mechanism': 'cas-one-line',"
          + " 'params': {'spins': 3, 'mode': 'x'}, 'threads': [{'cpu': 2}, {'cpu': null}],"
          + " 'pin': 'thread', 'lines': 8, 'home': [3, 1, 3],"
          + " 'warmup': {'rounds': 2, 'ops': 100, 'steady': 0.5, 'limit_ns': 5, 'look_ns': 6,"
          + " 'uninterrupted': true}, 'windows': {'unit': 'ns', 'throughput': 11, 'sampling': 12,"
          + " 'visits': 13, 'chunk_ns': 14, 'clock_share': 0.25},"
          + " 'outliers': {'factor': 1.5, 'least_ns': 15, 'most': 16},"
          + " 'measure_ns': 1000000, 'bound_ns': 2000000, 'patience_ns': 3000000, 'seed': 9}";

  private static Request read(String text) {
    return Request.read(text.replace('\'', '"').getBytes(UTF_8));
  }

  @Test
  void readsEveryField() {
    Request request = read(WHOLE);
    assertEquals("signal", request.experiment);
    assertEquals("cas-one-line", request.mechanism);
    assertEquals(Map.of("spins", 3L, "mode", "x"), request.params);
    assertEquals(Arrays.asList(2, null), request.cpus);
    assertFalse(request.pinsProcess);
    assertEquals(8, request.lines);
    assertEquals(List.of(1, 3), request.home);
    assertEquals(2, request.warmUp.rounds);
    assertEquals(100, request.warmUp.ops);
    assertEquals(0.5, request.warmUp.steady);
    assertNull(read(changed("'steady': 0.5", "'steady': null")).warmUp.steady);
    assertEquals(5, request.warmUp.limitNs);
    assertEquals(6, request.warmUp.lookNs);
    assertTrue(request.warmUp.uninterrupted);
    assertEquals(Request.Unit.NS, request.windows.unit);
    assertEquals(11, request.windows.throughput);
    assertEquals(12, request.windows.sampling);
    assertEquals(13, request.windows.visits);
    assertEquals(14, request.windows.chunkNs);
    assertEquals(0.25, request.windows.clockShare);
    assertEquals(1.5, request.outliers.factor);
    assertEquals(15, request.outliers.leastNs);
    assertEquals(16, request.outliers.most);
    assertEquals(1_000_000, request.measureNs);
    assertEquals(2_000_000, request.boundNs);
    assertEquals(3_000_000, request.patienceNs);
    assertEquals(9, request.seed);
  }

  private static String changed(String from, String to) {
    assertTrue(WHOLE.contains(from), from);
    return WHOLE.replace(from, to);
  }

  @Test
  void readsOtherWords() {
    assertTrue(read(changed("'thread',", "'process',")).pinsProcess);
    assertEquals(Request.Unit.OPS, read(changed("'ns',", "'ops',")).windows.unit);
    assertFalse(read(changed("true", "false")).warmUp.uninterrupted);
    assertNull(read(changed("[3, 1, 3]", "null")).home);
    assertEquals(1, read(changed("0.25", "1")).windows.clockShare);
    assertNull(read(changed("{'factor': 1.5, 'least_ns': 15, 'most': 16}", "null")).outliers);
    assertEquals(10, read(changed("1.5", "10")).outliers.factor);
  }

  @Test
  void namesTheCpusOnce() {
    String threads = "[{'cpu': 2}, {'cpu': null}, {'cpu': 0}, {'cpu': 2}]";
    Request request = read(changed("[{'cpu': 2}, {'cpu': null}]", threads));
    assertEquals(List.of(0, 2), request.namedCpus());
  }

  /** What the C++ probe's own tests of the same reader do not ask. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'seed': 9}; 'seed': 9} {}; The request is not JSON.",
        "'seed': 9; 'seed': 9, 'seed': 9; The request names 'seed' twice.",
        "{'cpu': 2}; {'cpu': 2, 'cpu': 3}; The request names 'cpu' twice.",
        "'rounds': 2; 'rounds': '2'; The request's warmup.rounds must be a whole number from 0 to"
            + " 1000000.",
        "'visits': 13, ; `` ; The request's windows.visits is missing.",
      })
  void refuses(String from, String to, String sentence) {
    String changed = changed(from.strip(), to);
    assertEquals(sentence, assertFails(Failure.Code.BAD_REQUEST, () -> read(changed)));
  }

  /** With a letter outside of the basic plane, and one that ends a text in C. */
  @Test
  void readsEveryLetter() {
    assertEquals(
        "a\uD83D\uDE00\0b", read(changed("cas-one-line", "a\uD83D\uDE00\\u0000b")).mechanism);
  }
}
