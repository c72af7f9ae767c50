package threadping.probe;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The folder that no language owns. */
public final class Contract {
  private static final Path FOLDER = Path.of("../../contract").toAbsolutePath().normalize();

  private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();

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

  /** What contract/NAME.schema.json says against a message; empty if nothing. */
  public static List<String> complaints(String schema, byte[] message) {
    return SCHEMAS
        .computeIfAbsent(schema, Contract::load)
        .validate(new String(message, StandardCharsets.UTF_8), InputFormat.JSON)
        .stream()
        .map(Object::toString)
        .collect(Collectors.toList());
  }

  private static Schema load(String name) {
    String file = name + ".schema.json";
    String place = "contract:///" + file; // the schema's own name, file, needs one to stand in
    return SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            registry -> registry.schemas(Map.of(place, read(FOLDER.resolve(file)))))
        .getSchema(SchemaLocation.of(place));
  }

  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
