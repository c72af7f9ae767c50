package threadping.probe.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import threadping.probe.Failure;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Threads;

/**
 * A way for threads to do what an experiment asks, and how its stage is made.
 *
 * @param name the same in every language
 * @param blocking whether a waiting thread sleeps in the kernel
 * @param timed for each role the name of the distribution of what it times; the last for further
 *     ones
 * @param lines how many lines it is measured over unless the request says otherwise
 * @param params what a request may set
 * @param virtual whether it is for virtual threads (since Java 21), which have no CPU of their own
 * @param words what it says of itself; null for one that contract/words.json knows
 */
public record Mechanism(
    String name,
    boolean blocking,
    List<String> timed,
    int lines,
    List<Param> params,
    boolean virtual,
    Description words,
    Maker maker) {

  /** What a mechanism does; and what it costs, and when to choose it. */
  public record Description(String summary, String costs) {}

  /** What a trial's stage is made of. */
  public record Setup(Params params, int lines, int threads, long seed) {}

  /** Makes the stage of one trial. Throws Failure. */
  public interface Maker {
    Stage stage(Setup setup);
  }

  /** One for ordinary threads, which contract/words.json knows. */
  public Mechanism(
      String name,
      boolean blocking,
      List<String> timed,
      int lines,
      List<Param> params,
      Maker maker) {
    this(name, blocking, timed, lines, params, false, null, maker);
  }

  /** Why this virtual machine cannot run it ("Java 21"), or null if it can. */
  public String needs() {
    return virtual && Runtime.version().feature() < 21 ? "Java 21" : null;
  }

  /**
   * The stage of a trial, of parameters that were checked, names and values in turn; {@code home}
   * as in the request. Throws Failure.
   *
   * <p>The cells' memory outside the heap stands where the request wants it: what a thread touches
   * first stands on its node. The cells themselves are made by this thread, which may run anywhere:
   * java.util.concurrent asks how many CPUs there are, and a pinned thread sees only its own (an
   * Exchanger that knows of one CPU never spins: 31 us a hand-over instead of 0.24).
   */
  Stage stage(String[] given, int lines, int threads, long seed, int[] home) {
    Map<String, Object> values = new HashMap<>();
    for (int each = 0; each < given.length; each += 2) {
      values.put(given[each], given[each + 1]);
    }
    Stage stage = maker.stage(new Setup(Params.of(this, values), lines, threads, seed));
    FutureTask<Stage> touch =
        new FutureTask<>(
            () -> {
              if (home != null) {
                Native.pinThread(home);
              }
              Lines.touch();
              return stage;
            });
    Threads.make(false, "home", touch).start();
    try {
      return touch.get();
    } catch (InterruptedException | ExecutionException error) {
      if (error.getCause() instanceof OutOfMemoryError full) {
        throw full;
      }
      throw error.getCause() instanceof Failure why ? why : new IllegalStateException(error);
    }
  }
}
