package threadping.probe.platform;

import java.nio.file.Files;
import java.nio.file.Path;
import threadping.probe.Failure;

/**
 * What the C++ probe's engine and platform do for Java (src/main/native). Nothing here but {@link
 * #take} and {@link #lookBefore} may be called while something is timed.
 *
 * <p>The library is next to the probe's jar; the system property {@code threadping.native} names
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
                  + " the probe's jar, next to it.",
          library,
          error.getMessage());
    }
  }

  // ---- messages ----

  /** What the probe of this identity describes, and its experiments; all of it JSON. */
  public static native byte[] description(String identity, String... experiments);

  /** The experiment that a request is about. Throws Failure(BAD_REQUEST). */
  public static native String experiment(byte[] request);

  // ---- a trial, and what its workers call: threadping.h ----

  /**
   * Performs a trial of this experiment, which {@code trial} is ({@link
   * threadping.probe.engine.Trial}).
   */
  public static native byte[] trial(byte[] request, String experiment, Object trial);

  /** One of the counts that are asked for. */
  public static native void count(
      long counts, String name, long made, long found, boolean mustBeEqual);

  /** One of the pauses that are asked for. */
  public static native void pause(long pauses, long atNs, long ns, String name);

  /** Pins the calling thread; false where it cannot, which is the trial's failure then. */
  public static native boolean setUp(long words);

  /** Leads; for a virtual thread another one does, and this returns at once. */
  public static native void lead(long words);

  /** Sleeps until there is another order than this one. */
  public static native void awaitOrder(long words, long number);

  /** Writes the order of this number into the words. */
  public static native void takeUp(long words, long number);

  /** Whether there is another visit in the words; false: no more. */
  public static native boolean takeVisit(long words);

  /** Its results are in the words. */
  public static native void visited(long words);

  /** Looks, and writes into the words when it may again. */
  public static native void lookBefore(long words);

  /**
   * Takes these numbers of timings and numbers, and the tallies, out of the words; looks if it may.
   */
  public static native void take(long words, int timings, int numbers, boolean mayLook);

  /** What went wrong. It needs no heap. */
  public static native void fail(long words, Throwable error);

  /** The last call. */
  public static native void end(long words);

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

  /** Of a barrier. Throws Failure(BAD_REQUEST) for one too long to be stopped in time. */
  public static native void checkRound(long workers, long jobs, long work, long imbalance);

  /** Gives the CPU away for so long; by no mechanism of Java's, and so no permit is used up. */
  public static native void sleep(long ns);

  /**
   * The address of {@code bytes} bytes of pages that nobody has touched. Throws Failure(INTERNAL).
   */
  static native long memory(long bytes);

  static native void openPackage(Module module, String name);

  /**
   * The address of a reader of the idle states of this folder's CPU; 0 where the kernel does not
   * report them.
   */
  public static native long idleStates(int cpu, String root);

  /**
   * How many states are deeper than the deepest that the CPU has left since the last look: 0 of the
   * deepest there is, and as many as there are where it left none.
   */
  public static native long lookAtIdle(long idleStates);
}
