package threadping.probe.engine;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import threadping.probe.Failure;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Pinning;
import threadping.probe.platform.SafepointLog;
import threadping.probe.platform.Threads;

/**
 * One trial of one mechanism: a request in, a result out. It is the C++ engine's, which calls what
 * is here; Java's are the stage and the loops of its threads ({@link Worker}).
 */
public final class Trial {
  /** Where the virtual machine logs its stops, if it was told to: in the working directory. */
  private static final Path SAFEPOINTS = Path.of("safepoints.log");

  private Trial() {}

  /**
   * Measures what a request about this experiment asks for; both messages are the contract's.
   * Throws Failure for what the contract calls an error; threads may remain then, and the process
   * should end soon.
   */
  public static byte[] run(byte[] request, Experiment experiment) {
    return Native.trial(request, experiment);
  }

  /**
   * A mechanism's stage, of parameters that were checked, names and values in turn; {@code home} as
   * in the request.
   *
   * <p>The cells' memory outside the heap stands where the request wants it: what a thread touches
   * first stands on its node. The cells themselves are made by this thread, which may run anywhere:
   * java.util.concurrent asks how many CPUs there are, and a pinned thread is told of its own (an
   * Exchanger that knows of one CPU never spins: 31 us a hand-over instead of 0.24).
   */
  static Stage stage(
      Mechanism mechanism, String[] given, int lines, int threads, long seed, int[] home) {
    Map<String, Object> values = new HashMap<>();
    for (int each = 0; each < given.length; each += 2) {
      values.put(given[each], given[each + 1]);
    }
    Params params = Params.of(mechanism, values);
    Stage stage = mechanism.maker().stage(new Mechanism.Setup(params, lines, threads, seed));
    FutureTask<Stage> touch =
        new FutureTask<>(
            () -> {
              if (home != null) {
                Pinning.pinThisThread(home);
              }
              Lines.touch();
              return stage;
            });
    Threads.make(false, "home", touch).start();
    try {
      return touch.get();
    } catch (InterruptedException | ExecutionException error) {
      throw error.getCause() instanceof Failure told ? told : new IllegalStateException(error);
    }
  }

  /** The stops of the virtual machine so far; null where it does not tell. */
  static List<SafepointLog.Pause> pauses() {
    return SafepointLog.read(SAFEPOINTS);
  }
}
