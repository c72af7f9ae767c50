package threadping.probe.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import threadping.probe.Failure;

/**
 * Reads a request strictly: what the contract does not name, or names with another type or range,
 * is refused with a sentence that says where. Ranges are those of contract/request.schema.json.
 */
public final class RequestReader {
  private static final long HOUR_NS = 3_600_000_000_000L;
  private static final int HIGHEST_CPU = 65535;
  private static final Set<String> FIELDS =
      Set.of(
          "schema",
          "experiment",
          "mechanism",
          "params",
          "threads",
          "pin",
          "lines",
          "home",
          "warmup",
          "windows",
          "measure_ns",
          "bound_ns",
          "patience_ns",
          "seed");
  private static final Set<String> WARM_UP_FIELDS =
      Set.of("rounds", "ops", "limit_ns", "look_ns", "uninterrupted");
  private static final Set<String> WINDOWS_FIELDS =
      Set.of("unit", "plain", "timed", "visits", "chunk_ns", "clock_share");

  private final JsonParser json;
  private final Request request = new Request();

  private RequestReader(JsonParser json) {
    this.json = json;
  }

  /** Throws Failure(BAD_REQUEST) for anything but a whole, valid request. */
  public static Request read(byte[] text) {
    JsonFactory factory =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try (JsonParser json = factory.createParser(text)) {
      RequestReader reader = new RequestReader(json);
      json.nextToken();
      reader.readObject("", FIELDS, reader::readField);
      if (json.nextToken() != null) {
        throw bad("The request goes on after its end.");
      }
      return reader.request;
    } catch (IOException error) {
      throw new Failure(
          Failure.Code.BAD_REQUEST, "The request is not JSON: " + error.getMessage(), error);
    }
  }

  private interface FieldReader {
    void read(String name) throws IOException;
  }

  private void readField(String name) throws IOException {
    switch (name) {
      case "schema":
        readSchema();
        break;
      case "experiment":
        request.experiment = text(name);
        break;
      case "mechanism":
        request.mechanism = text(name);
        break;
      case "params":
        request.params = params();
        break;
      case "threads":
        request.cpus = threads();
        break;
      case "pin":
        request.pinsProcess = isFirst(name, "process", "thread");
        break;
      case "lines":
        request.lines = (int) integer(name, 1, 65536);
        break;
      case "home":
        request.home = home();
        break;
      case "warmup":
        readObject(name, WARM_UP_FIELDS, this::readWarmUpField);
        break;
      case "windows":
        readObject(name, WINDOWS_FIELDS, this::readWindowsField);
        break;
      case "measure_ns":
        request.measureNs = integer(name, 1_000_000, HOUR_NS);
        break;
      case "bound_ns":
        request.boundNs = integer(name, 1_000_000, 2 * HOUR_NS);
        break;
      case "patience_ns":
        request.patienceNs = integer(name, 1_000_000, HOUR_NS);
        break;
      default:
        request.seed = integer(name, 0, (1L << 53) - 1);
    }
  }

  /** Told before anything else is refused: threadping writes it first. */
  private void readSchema() throws IOException {
    long schema = integer("schema", 0, Integer.MAX_VALUE);
    if (schema != Json.SCHEMA) {
      throw bad(
          "The request speaks schema "
              + schema
              + ", this probe speaks "
              + Json.SCHEMA
              + ": take a probe and a threadping of the same build.");
    }
  }

  private void readWarmUpField(String name) throws IOException {
    String where = "warmup." + name;
    switch (name) {
      case "rounds":
        request.warmUp.rounds = integer(where, 0, 1_000_000);
        break;
      case "ops":
        request.warmUp.ops = integer(where, 1, 1_000_000_000_000L);
        break;
      case "limit_ns":
        request.warmUp.limitNs = integer(where, 0, HOUR_NS);
        break;
      case "look_ns":
        request.warmUp.lookNs = integer(where, 1, HOUR_NS);
        break;
      default:
        require(json.currentToken().isBoolean(), where, "true or false");
        request.warmUp.uninterrupted = json.getBooleanValue();
    }
  }

  private void readWindowsField(String name) throws IOException {
    String where = "windows." + name;
    switch (name) {
      case "unit":
        boolean inOps = isFirst(where, Request.Unit.OPS.word, Request.Unit.NS.word);
        request.windows.unit = inOps ? Request.Unit.OPS : Request.Unit.NS;
        break;
      case "plain":
        request.windows.plain = integer(where, 1, HOUR_NS);
        break;
      case "timed":
        request.windows.timed = integer(where, 1, HOUR_NS);
        break;
      case "visits":
        request.windows.visits = (int) integer(where, 1, 1000);
        break;
      case "chunk_ns":
        request.windows.chunkNs = integer(where, 1, 1_000_000_000);
        break;
      default:
        require(json.currentToken().isNumeric(), where, "a number");
        request.windows.clockShare = json.getDoubleValue();
        boolean isShare = request.windows.clockShare > 0 && request.windows.clockShare <= 1;
        require(isShare, where, "above 0, and 1 at most");
    }
  }

  private List<Integer> threads() throws IOException {
    List<Integer> cpus = new ArrayList<>();
    require(json.currentToken() == JsonToken.START_ARRAY, "threads", "a list");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      String where = "threads." + cpus.size();
      require(
          cpus.size() < Request.MOST_THREADS,
          "threads",
          "a list of at most " + Request.MOST_THREADS);
      readObject(where, Set.of("cpu"), name -> cpus.add(cpu(where + ".cpu")));
    }
    require(!cpus.isEmpty(), "threads", "a list of at least one thread");
    return cpus;
  }

  private Integer cpu(String where) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    return (int) integer(where, 0, HIGHEST_CPU);
  }

  private List<Integer> home() throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    require(json.currentToken() == JsonToken.START_ARRAY, "home", "a list of CPUs or null");
    Set<Integer> cpus = new TreeSet<>();
    for (int each = 0; json.nextToken() != JsonToken.END_ARRAY; each++) {
      cpus.add((int) integer("home." + each, 0, HIGHEST_CPU));
    }
    require(!cpus.isEmpty(), "home", "a list of at least one CPU");
    return List.copyOf(cpus);
  }

  private Map<String, Object> params() throws IOException {
    Map<String, Object> params = new LinkedHashMap<>();
    require(json.currentToken() == JsonToken.START_OBJECT, "params", "an object");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      boolean isText = json.nextToken() == JsonToken.VALUE_STRING;
      String where = "params." + name;
      params.put(name, isText ? json.getText() : integer(where, Long.MIN_VALUE, Long.MAX_VALUE));
    }
    return params;
  }

  /** The object at the current token: each of these fields once, and no others. */
  private void readObject(String where, Set<String> fields, FieldReader reader) throws IOException {
    require(
        json.currentToken() == JsonToken.START_OBJECT,
        where.isEmpty() ? "whole" : where,
        "an object");
    Set<String> missing = new TreeSet<>(fields);
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      if (!missing.remove(name)) {
        throw bad("The request has an unknown field '" + path(where, name) + "'.");
      }
      json.nextToken();
      reader.read(name);
    }
    if (!missing.isEmpty()) {
      throw bad("The request lacks '" + path(where, missing.iterator().next()) + "'.");
    }
  }

  private static String path(String where, String name) {
    return where.isEmpty() ? name : where + "." + name;
  }

  private String text(String where) throws IOException {
    require(json.currentToken() == JsonToken.VALUE_STRING, where, "a text");
    require(!json.getText().isEmpty(), where, "not empty");
    return json.getText();
  }

  /** Which of two words it is. */
  private boolean isFirst(String where, String first, String second) throws IOException {
    String text = text(where);
    require(text.equals(first) || text.equals(second), where, first + " or " + second);
    return text.equals(first);
  }

  private long integer(String where, long least, long most) throws IOException {
    require(json.currentToken() == JsonToken.VALUE_NUMBER_INT, where, "a whole number");
    boolean fits = json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
    long value = fits ? json.getLongValue() : 0;
    require(fits && value >= least && value <= most, where, "between " + least + " and " + most);
    return value;
  }

  private static void require(boolean holds, String where, String wanted) {
    if (!holds) {
      throw bad("The request's " + where + " must be " + wanted + ".");
    }
  }

  private static Failure bad(String message) {
    return new Failure(Failure.Code.BAD_REQUEST, message);
  }
}
