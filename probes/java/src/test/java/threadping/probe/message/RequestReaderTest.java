package threadping.probe.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import threadping.probe.Contract;
import threadping.probe.Failure;

class RequestReaderTest {
  private static final String WHOLE =
      "{'schema': 1, 'experiment': 'signal', 'mechanism': 'cas-one-line',"
          + " 'params': {'spins': 3, 'mode': 'x'}, 'threads': [{'cpu': 2}, {'cpu': null}],"
          + " 'lines': 8, 'warmup': {'rounds': 2, 'ops': 100, 'limit_ns': 5},"
          + " 'measure_ns': 1000000, 'bound_ns': 2000000, 'seed': 9}";

  static List<Path> good() {
    return Contract.examples("good", "request");
  }

  static List<Path> bad() {
    return Contract.examples("bad", "request");
  }

  private static Request read(String text) {
    return RequestReader.read(text.replace('\'', '"').getBytes(UTF_8));
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
    assertEquals(2, request.warmupRounds);
    assertEquals(100, request.warmupOps);
    assertEquals(5, request.warmupLimitNs);
    assertEquals(1_000_000, request.measureNs);
    assertEquals(2_000_000, request.boundNs);
    assertEquals(9, request.seed);
  }

  @Test
  void readsWhatIsPinned() {
    assertTrue(read(WHOLE.replace("'lines'", "'pin': 'process', 'lines'")).pinsProcess);
    assertFalse(read(WHOLE.replace("'lines'", "'pin': 'thread', 'lines'")).pinsProcess);
  }

  @ParameterizedTest
  @MethodSource
  void good(Path example) {
    RequestReader.read(Contract.read(example).getBytes(UTF_8));
  }

  @ParameterizedTest
  @MethodSource
  void bad(Path example) {
    byte[] text = Contract.read(example).getBytes(UTF_8);
    assertFails(Failure.Code.BAD_REQUEST, () -> RequestReader.read(text));
  }

  @Test
  void theExamplesAreThere() {
    assertTrue(good().size() >= 3 && bad().size() >= 20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'seed': 9}; 'seed': 9} {}",
        "'seed': 9; 'seed': 9, 'seed': 9",
        "'seed': 9; 'seed': 9, 'pin': 'thread', 'pin': 'thread'",
        "'seed': 9; 'seed': 9, 'pin': null",
        "'seed': 9; 'pin': 'thread'",
        "'seed': 9; 'seed': 9.0",
        "'seed': 9; 'seed': 9007199254740992",
        "'seed': 9; 'seed': null",
        "'lines': 8; 'lines': 65537",
        "'rounds': 2, ; ",
        "{'cpu': 2}; {'cpu': 2, 'cpu': 3}",
        "{'cpu': 2}; {}",
        "{'cpu': 2}; 2",
        "'spins': 3; 'spins': 18446744073709551616",
        "'spins': 3; 'spins': true",
      })
  void refuses(String change) {
    String[] fromTo = change.split(";", 2);
    String changed = WHOLE.replace(fromTo[0], fromTo[1]);
    assertFails(Failure.Code.BAD_REQUEST, () -> read(changed));
  }

  @Test
  void saysWhere() {
    String sentence =
        assertFails(
            Failure.Code.BAD_REQUEST, () -> read(WHOLE.replace("'rounds': 2", "'rounds': '2'")));
    assertEquals("The request's warmup.rounds must be a whole number.", sentence);
  }
}
