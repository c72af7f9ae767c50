package threadping.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The folder that no language owns. */
public final class Contract {
  private static final Path FOLDER = Path.of("../../contract").toAbsolutePath().normalize();

  private Contract() {}

  /** The examples of one kind ("good", "bad") of one message. */
  public static List<Path> examples(String kind, String message) {
    try (Stream<Path> files = Files.list(FOLDER.resolve("examples").resolve(kind))) {
      return files
          .filter(file -> file.getFileName().toString().matches(message + "[-.].*"))
          .sorted()
          .collect(Collectors.toList());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
