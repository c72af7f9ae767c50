package threadping.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Trial;
import threadping.probe.experiments.barrier.BarrierExperiment;
import threadping.probe.experiments.load.LoadExperiment;
import threadping.probe.experiments.lock.LockExperiment;
import threadping.probe.experiments.queue.QueueExperiment;
import threadping.probe.experiments.signal.SignalExperiment;
import threadping.probe.experiments.wakeup.WakeupExperiment;
import threadping.probe.own.OwnMechanism;
import threadping.probe.platform.Json;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.Native;

/** The Java probe: request in, result out. It times nothing itself. */
public final class Main {
  private static final String USAGE =
      "threadping's Java probe: measures one trial in one process. See contract/README.md.\n\n"
          + "  describe                                       write what this probe can measure\n"
          + "  run --request FILE --result FILE [--parent PID]  measure one trial\n"
          + "  rehearse --request FILE --result FILE          do both, to load what either loads\n\n"
          + "With --parent the probe ends at once unless that process started it.\n"
          + "Behind --own CLASSPATH:CLASS [--name NAME] both are about that class of yours alone,"
          + " as a mechanism of this name; and\n\n"
          + "  check                                          say whether it keeps its contract\n"
          + "  bare CPU CPU MILLISECONDS                      say what an operation takes in a"
          + " hand-written baseline, in ns";

  /** Every experiment: a new one is a folder, a word here and a line below. */
  private static final List<String> EXPERIMENTS =
      List.of("signal", "lock", "wakeup", "queue", "load", "barrier");

  /** Null is none. Only the one that is asked for is loaded, for the sake of each trial's start. */
  private static Experiment experiment(String name) {
    Experiment whole =
        switch (name) {
          case "signal" -> SignalExperiment.EXPERIMENT;
          case "lock" -> LockExperiment.EXPERIMENT;
          case "wakeup" -> WakeupExperiment.EXPERIMENT;
          case "queue" -> QueueExperiment.EXPERIMENT;
          case "load" -> LoadExperiment.EXPERIMENT;
          case "barrier" -> BarrierExperiment.EXPERIMENT;
          default -> null;
        };
    return own == null || whole == null ? whole : own.in(whole);
  }

  /** The user's class that is measured in place of all that there is here; null is none. */
  private static OwnMechanism own;

  /** As the user named it: CLASSPATH:CLASS, and the name of the mechanism, if it has another. */
  private static String ownClass;

  private static String ownName;

  /** Heap kept free to say that the heap is full. */
  private static byte[] spare = new byte[1 << 18];

  private Main() {}

  public static void main(String[] args) {
    int status = run(args);
    System.out.flush();
    // Without waiting for what a stalled mechanism's threads may still be doing.
    Runtime.getRuntime().halt(status);
  }

  private static int run(String[] args) {
    boolean isOwn = args.length > 2 && args[0].equals("--own");
    boolean hasName = isOwn && args.length > 4 && args[2].equals("--name");
    ownClass = isOwn ? args[1] : null;
    ownName = hasName ? args[3] : null;
    String[] words = Arrays.copyOfRange(args, hasName ? 4 : isOwn ? 2 : 0, args.length);
    if (isOwn && String.join(" ", words).matches("bare( \\d{1,9}){3}")) {
      return says(() -> bare(Stream.of(words).skip(1).mapToInt(Integer::parseInt).toArray()));
    }
    switch (String.join(" ", words)) {
      case "describe":
        return says(Main::describe);
      case "check":
        return isOwn ? says(Main::check) : misunderstood(args);
      case "--help", "-h":
        System.out.println(USAGE);
        return 0;
      default:
        Map<String, String> options = options(words);
        if (options == null) {
          return misunderstood(args);
        }
        int described = words[0].equals("rehearse") ? says(Main::describe) : 0;
        return described == 0 ? run(options) : described;
    }
  }

  private static void findOwn() {
    own = ownClass == null ? null : OwnMechanism.find(ownClass, ownName);
  }

  private static int misunderstood(String[] args) {
    System.err.println("Not understood: " + String.join(" ", args));
    System.err.println(USAGE);
    return 2;
  }

  /** Has it write on stdout what is asked for; the exit status. */
  private static int says(Runnable what) {
    try {
      findOwn();
      what.run();
      return 0;
    } catch (Throwable error) {
      spare = null;
      Failure failure = failure(error);
      System.err.println(failure.getMessage());
      return failure.code.exitStatus();
    }
  }

  private static void check() {
    System.out.println(own.conformance().check());
  }

  private static void bare(int... numbers) {
    System.out.println(own.bare(numbers[0], numbers[1]).nsPerOperation(numbers[2] * 1_000_000L));
  }

  /** The options of {@code run} and {@code rehearse}, by name; null where they are others. */
  static Map<String, String> options(String... args) {
    Map<String, String> options = new HashMap<>();
    for (int word = 1; word + 1 < args.length; word += 2) {
      options.put(args[word], args[word + 1]);
    }
    boolean isRun =
        args.length == 1 + 2 * options.size() && Set.of("run", "rehearse").contains(args[0]);
    String parent = options.getOrDefault("--parent", "0");
    options.putIfAbsent("--parent", "");
    boolean areThey = options.keySet().equals(Set.of("--request", "--result", "--parent"));
    return isRun && areThey && parent.matches("\\d{1,9}") ? options : null;
  }

  private static void describe() {
    String version = Main.class.getPackage().getImplementationVersion();
    String machine =
        System.getProperty("java.vm.name") + " (" + System.getProperty("java.vendor") + ")";
    String build = System.getProperty("java.vm.version");
    Json.Fields toolchain = Json.object("name version flags").with(machine, build, Jvm.flags());
    Json.Fields identity =
        Json.object("probe version toolchain")
            .with("java", version == null ? "unpackaged" : version, toolchain);
    String[] all =
        EXPERIMENTS.stream()
            .map(Main::experiment)
            .filter(Objects::nonNull)
            .map(Json::of)
            .toArray(String[]::new);
    byte[] text = Native.description(Json.of(identity), all);
    System.out.write(text, 0, text.length);
  }

  /** The exit status. A failed trial leaves its error in the result file. */
  private static int run(Map<String, String> options) {
    String parent = options.get("--parent");
    Path result = Path.of(options.get("--result"));
    try {
      Native.dieWithParent(parent.isEmpty() ? -1 : Integer.parseInt(parent));
      findOwn();
      byte[] measured = measure(Path.of(options.get("--request")));
      return writeWhole(result, measured) ? 0 : 1;
    } catch (Throwable error) {
      spare = null;
      Failure failure = failure(error);
      if (failure.code == Failure.Code.INTERNAL) {
        error.printStackTrace(); // nobody foresaw it
      } else {
        System.err.println(failure.getMessage());
      }
      writeWhole(result, failure.json());
      return failure.code.exitStatus();
    }
  }

  /** A class whose beginning failed, such as that of the native library, hides why. */
  private static Failure failure(Throwable error) {
    Throwable cause = error instanceof ExceptionInInitializerError ? error.getCause() : error;
    if (cause instanceof OutOfMemoryError) {
      return Failure.Code.UNSUPPORTED.failure(
          cause,
          "Java is out of memory (%s): give it more (-Xmx), or ask for fewer threads or lines, or"
              + " for shorter sampling windows.",
          cause.getMessage());
    }
    return cause instanceof Failure failure
        ? failure
        : Failure.Code.INTERNAL.failure(error, "%s", error);
  }

  private static byte[] measure(Path file) {
    byte[] text = readWhole(file);
    String name = Native.experiment(text);
    Experiment experiment = experiment(name);
    if (experiment == null) {
      throw Failure.Code.UNKNOWN_EXPERIMENT.failure("No experiment '%s' here.", name);
    }
    return Trial.run(text, experiment);
  }

  private static byte[] readWhole(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException error) {
      throw Failure.Code.BAD_REQUEST.failure(error, "The request file '%s' cannot be read.", file);
    }
  }

  /** Whole or not at all: no reader of the result finds half of it. */
  private static boolean writeWhole(Path file, byte[] text) {
    Path draft = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.write(draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException error) {
      System.err.println("The result file '" + file + "' cannot be written: " + error);
      draft.toFile().delete();
      return false;
    }
  }
}
