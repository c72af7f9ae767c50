package threadping.probe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The check by which the other tests judge what the probe writes finds what it should. */
class ContractTest {
  private static List<Path> messages(String kind) {
    return Stream.of("result", "describe")
        .flatMap(message -> Contract.examples(kind, message).stream())
        .filter(ContractTest::isJson)
        .collect(Collectors.toList());
  }

  private static boolean isJson(Path file) {
    try {
      JsonParser.parseString(Contract.read(file));
      return true;
    } catch (JsonParseException error) {
      return false;
    }
  }

  static List<Path> good() {
    return messages("good");
  }

  static List<Path> bad() {
    return messages("bad");
  }

  private static List<String> complaints(Path example) {
    String message = example.getFileName().toString().split("[-.]")[0];
    return Contract.complaints(message, Contract.read(example).getBytes(UTF_8));
  }

  @ParameterizedTest
  @MethodSource
  void good(Path example) {
    assertEquals(List.of(), complaints(example));
  }

  @ParameterizedTest
  @MethodSource
  void bad(Path example) {
    assertFalse(complaints(example).isEmpty());
  }
}
