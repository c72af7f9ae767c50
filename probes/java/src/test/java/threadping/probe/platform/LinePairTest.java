package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No field of a class that has padding before its fields is in that padding, or before it. */
class LinePairTest {
  /** All of the probe's classes that have it. */
  static List<Class<?>> padded() throws IOException, URISyntaxException {
    Path root = Path.of(LinePair.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(name -> name.startsWith("threadping") && name.endsWith(".class"))
          .map(name -> named(name.substring(0, name.length() - ".class".length())))
          .filter(type -> LinePair.class.isAssignableFrom(type) && type != LinePair.class)
          .collect(Collectors.toList());
    }
  }

  private static Class<?> named(String path) {
    try {
      return Class.forName(path.replace('/', '.'), false, LinePairTest.class.getClassLoader());
    } catch (ClassNotFoundException error) {
      throw new AssertionError(error);
    }
  }

  @ParameterizedTest
  @MethodSource("padded")
  void fieldsAreBehindThePadding(Class<?> type) {
    Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .forEach(field -> assertIsBehind(type, field));
  }

  private static void assertIsBehind(Class<?> type, Field field) {
    long offset = Places.offset(type, field.getName());
    assertTrue(offset >= Lines.LINE_PAIR, field + " is at " + offset);
  }

  @Test
  void findsThem() throws IOException, URISyntaxException {
    assertTrue(padded().size() > 20, "only " + padded());
  }
}
