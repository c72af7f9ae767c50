package threadping.probe.platform;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import threadping.probe.Failure;
import threadping.probe.engine.Experiment;

/**
 * What the C++ probe's engine and platform do for Java (src/main/native). Nothing here but {@link
 * #take} and {@link #lookBefore} may be called while something is timed.
 *
 * <p>The library stands beside the probe's jar; the system property {@code threadping.native} names
 * another one.
 */
public final class Native {
  private static final String LIBRARY = "threadping-probe-jni.so";

  static {
    load();
  }

  private Native() {}

  /** Throws Failure(UNSUPPORTED), within the error that a class's beginning may throw. */
  private static void load() {
    String named = System.getProperty("threadping.native");
    Path jar = Path.of(System.getProperty("java.class.path"));
    Path library = named == null ? jar.resolveSibling(LIBRARY) : Path.of(named);
    try {
      System.load(library.toAbsolutePath().toString());
    } catch (UnsatisfiedLinkError | NoSuchMethodError error) {
      throw Failure.Code.UNSUPPORTED.failure(
          error,
          Files.exists(library)
              ? "The Java probe's native library '%s' cannot be loaded (%s): it must be built with"
                  + " the probe's jar, and for this machine."
              : "The Java probe's native library '%s' is missing: it is built and installed with"
                  + " the probe's jar, and stands beside it.",
          library,
          error.getMessage());
    }
  }

  // ---- messages ----

  /** Of a virtual machine and its build with these flags, and of Experiments. */
  public static native byte[] description(
      String version, String name, String build, List<String> flags, List<?> experiments);

  /** The experiment that a request is about. Throws Failure(BAD_REQUEST). */
  public static native String experiment(byte[] request);

  // ---- a trial, and what its workers call of their C++ halves: engine/worker.hpp ----

  /**
   * Measures what a request about this experiment asks for; both messages are the contract's.
   * Throws Failure for what the contract calls an error; threads may remain then, and the process
   * should end soon.
   */
  public static native byte[] trial(byte[] request, Experiment experiment);

  /** Pins the calling thread. Throws Failure(PIN_FAILED). */
  public static native void stand(long worker);

  /**
   * Has this {@link threadping.probe.engine.Worker} lead; for a virtual thread another one does,
   * and this returns at once.
   */
  public static native void lead(long worker, Object java);

  /** Sleeps until there is another order than this one. */
  public static native void awaitOrder(long worker, long number);

  /**
   * Of the order of this number: whether it is to end, the line, a count and whether that is one
   * loop, then the size of a chunk, and one in how many is timed. Returns when it may look.
   */
  public static native long takeUp(long worker, long number, long[] order);

  /** Of a visit: the line, what each part counts, and whether that is one loop; false: no more. */
  public static native boolean takeVisit(long worker, long[] visit);

  /** What came of the visit. */
  public static native void visited(long worker, long[] visited);

  /** Looks; returns when it may again. */
  public static native long lookBefore(long worker);

  /** What was timed, and so many numbers; looks if it may. Returns when it may again. */
  public static native long take(
      long worker,
      long[] fromNs,
      long[] toNs,
      int timed,
      int[] index,
      long[] numbers,
      int numbered,
      long[] made,
      long[] found,
      boolean mayLook);

  /** What went wrong. It needs no room in the heap. */
  public static native void fail(long worker, Throwable error);

  /** The last call. */
  public static native void end(long worker);

  // ---- what mechanisms and stages need ----

  /** The CPUs that the calling thread may use, ascending. */
  public static native int[] allowedCpus();

  /** Pins the calling thread to these CPUs. Throws Failure(PIN_FAILED). */
  public static native void pinThread(int... cpus);

  /**
   * From now on the kernel kills this process when its parent dies. A parent that died before is
   * noticed by its id; -1 is any. The kernel keeps the signal with the calling thread, so this must
   * be one that lives as long as the probe.
   */
  public static native void dieWithParent(int expected);

  /** Gives the CPU away for so long; by no mechanism of Java's, and so no permit is used up. */
  public static native void sleep(long ns);

  /** The address of so many bytes of pages that nobody has touched. Throws Failure(INTERNAL). */
  static native long memory(long bytes);

  static native void openPackage(Module module, String name);

  /**
   * The address of what tells in which idle state a CPU of this folder was; 0 where the kernel does
   * not tell.
   */
  public static native long idleStates(int cpu, String root);

  /**
   * How many states are deeper than the deepest that the CPU has left since the last look: 0 of the
   * deepest there is, and as many as there are where it left none.
   */
  public static native long lookAtIdle(long idleStates);
}
