package threadping.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.ParseException;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Trial;
import threadping.probe.experiments.lock.Lock;
import threadping.probe.experiments.notify.Notify;
import threadping.probe.experiments.ring.Ring;
import threadping.probe.experiments.signal.Signal;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.Parent;

/** The Java probe: request in, result out. It times nothing itself. */
public final class Main {
  private static final String USAGE =
      "threadping's Java probe: measures one trial in one process. See contract/README.md.\n\n"
          + "  describe                                       write what this probe can measure\n"
          + "  run --request FILE --result FILE [--parent PID]  measure one trial\n\n"
          + "With --parent the probe ends at once unless that process started it.";

  /** Every experiment: a new one is a folder and a word here. */
  private static final List<Experiment> EXPERIMENTS =
      List.of(Signal.EXPERIMENT, Lock.EXPERIMENT, Notify.EXPERIMENT, Ring.EXPERIMENT);

  private static final Options RUN_OPTIONS =
      new Options()
          .addRequiredOption(null, "request", true, null)
          .addRequiredOption(null, "result", true, null)
          .addOption(Option.builder().longOpt("parent").hasArg().type(Integer.class).get());

  private Main() {}

  public static void main(String[] args) {
    int status = run(args);
    System.out.flush();
    // Without waiting for what a stalled mechanism's threads may still be doing.
    Runtime.getRuntime().halt(status);
  }

  private static int run(String[] args) {
    String command = args.length == 0 ? "" : args[0];
    try {
      switch (command) {
        case "describe":
          parse(args, new Options());
          describe();
          return 0;
        case "run":
          return run(parse(args, RUN_OPTIONS));
        case "--help":
        case "-h":
          System.out.println(USAGE);
          return 0;
        default:
          throw new ParseException("Say 'describe' or 'run', not '" + command + "'.");
      }
    } catch (ParseException error) {
      System.err.println(error.getMessage());
      System.err.println(USAGE);
      return 2;
    }
  }

  /** The options after the command, and nothing else. */
  private static CommandLine parse(String[] args, Options options) throws ParseException {
    String[] words = Arrays.copyOfRange(args, 1, args.length);
    CommandLine line =
        DefaultParser.builder().setAllowPartialMatching(false).get().parse(options, words);
    if (!line.getArgList().isEmpty()) {
      throw new ParseException("Not understood: " + String.join(" ", line.getArgList()));
    }
    return line;
  }

  private static void describe() {
    String version = Main.class.getPackage().getImplementationVersion();
    byte[] text =
        Description.json(version == null ? "unpackaged" : version, Jvm.flags(), EXPERIMENTS);
    System.out.write(text, 0, text.length);
  }

  /** The exit status. A failed trial leaves its error in the result file. */
  private static int run(CommandLine line) throws ParseException {
    Integer parent = line.getParsedOptionValue("parent");
    Path result = Path.of(line.getOptionValue("result"));
    try {
      Parent.dieWithParent(parent);
      byte[] measured = measure(Path.of(line.getOptionValue("request")));
      return writeWhole(result, measured) ? 0 : 1;
    } catch (Throwable error) {
      error.printStackTrace();
      Failure failure =
          error instanceof Failure
              ? (Failure) error
              : Failure.Code.INTERNAL.failure(error, "%s", error);
      writeWhole(result, Result.json(failure));
      return failure.code.exitStatus;
    }
  }

  private static byte[] measure(Path file) {
    Request request = Request.read(readWhole(file));
    for (Experiment experiment : EXPERIMENTS) {
      if (experiment.name().equals(request.experiment)) {
        return Trial.run(request, experiment).json();
      }
    }
    throw Failure.Code.UNKNOWN_EXPERIMENT.failure("No experiment '%s' here.", request.experiment);
  }

  private static byte[] readWhole(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException error) {
      throw Failure.Code.BAD_REQUEST.failure(error, "The request file '%s' cannot be read.", file);
    }
  }

  /** Whole or not at all: whoever reads the result finds no half of it. */
  private static boolean writeWhole(Path file, byte[] text) {
    Path draft = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.write(draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException error) {
      System.err.println("The result file '" + file + "' cannot be written: " + error);
      return false;
    }
  }
}
