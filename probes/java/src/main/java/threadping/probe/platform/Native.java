package threadping.probe.platform;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import threadping.probe.Failure;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.engine.Experiment;

/**
 * The C++ probe's platform room (src/main/native/platform.cpp): what Java cannot ask the kernel
 * itself. Nothing here may be called while something is timed.
 *
 * <p>The library stands beside the probe's jar; the system property {@code threadping.native} names
 * another one.
 */
public final class Native {
  /** What the kernel does not tell, or was not asked. */
  static final long UNKNOWN = -1;

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

  static Long orNull(long count) {
    return count == UNKNOWN ? null : (Long) count;
  }

  /**
   * A request, read strictly by the C++ probe's contract room: names and values in turn, in UTF-8.
   * Throws Failure(BAD_REQUEST).
   */
  public static native byte[][] request(byte[] text);

  /** Throws Failure for what is wrong with a request that is about this experiment. */
  public static native void refuse(byte[] text, Experiment experiment);

  // ---- pins: they throw Failure(PIN_FAILED) ----

  static native int[] allowedCpus();

  static native int[] pinThread(int[] cpus);

  static native int[] pinProcess(int[] cpus);

  /** The calling thread's number in /proc. */
  static native int task();

  /** -1 expects nobody in particular. */
  static native void dieWithParent(int expected);

  // ---- time ----

  static native void sleep(long ns);

  /** The step in which a clock moves whose readings, one right after the other, are these. */
  static native long clockStep(long[] readings);

  /**
   * Of pairs of CPUs: the least and the most of the farthest, by all times; false if none is known.
   */
  static native boolean compareClocks(int[] pairs, long[] bounds);

  // ---- memory ----

  /** The address of so many bytes of pages that nobody has touched. Throws Failure(INTERNAL). */
  static native long memory(long bytes);

  /** Null where the kernel does not tell. */
  static native int[] nodes(long address);

  // ---- counters, in the order of ThreadCounters' fields ----

  /** All but the migrations. */
  static native void threadCounters(long[] into);

  static native long migrations();

  /** The sum of all threads whose names begin so. */
  static native void countersOfAll(String beginning, long[] into);

  /** The steal time of these CPUs, all interrupts, and the energy, since the last time. */
  static native void machineCounters(int[] cpus, long[] into);

  /** Milliseconds of compiling, and collections; false where the virtual machine does not tell. */
  static native boolean jvmCounters(long[] into);

  static native void openPackage(Module module, String name);

  /** Its address; 0 where the kernel does not tell. */
  static native long idleStates(int cpu, String root);

  static native long lookAtIdle(long idleStates);

  // ---- looks ----

  /** Their address. Of the calling thread; others is null of a virtual one. */
  public static native long looks(
      Request.Outliers wanted, int[] others, boolean withTracePoints, double crowd);

  public static native void forgetLooks(long looks);

  /** From which duration on something is looked into. */
  public static native long beginLooks(long looks, long recorded, long medianNs);

  /** When it would look the next time. */
  public static native long lookBefore(long looks);

  /** The same, and these were long: when each began and when it ended, in turn. */
  public static native long lookAfter(long looks, long[] timings, int count, boolean may);

  // ---- messages ----

  /** Of a virtual machine and its build with these flags, and of Experiments. */
  public static native byte[] description(
      String version, String name, String build, List<String> flags, List<?> experiments);

  public static native byte[] result(Result measured);
}
