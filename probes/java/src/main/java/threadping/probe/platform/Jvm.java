package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * What the virtual machine says of itself. What it compiled and collected HotSpot says by its
 * performance counters, which the C++ part reads; any other is asked here by its management beans,
 * which take tens of milliseconds to load.
 */
public final class Jvm {
  private Jvm() {}

  /** Lets Agrona reach its memory, before its first class is loaded. */
  public static void openToAgrona() {
    Native.openPackage(Object.class.getModule(), "jdk.internal.misc");
  }

  /** The flags that it was started with, from wherever they came. */
  public static List<String> flags() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments();
  }

  /** Milliseconds spent compiling so far; -1 where there is no compiler or it does not tell. */
  static long compileMs() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    boolean tells = compiler != null && compiler.isCompilationTimeMonitoringSupported();
    return tells ? compiler.getTotalCompilationTime() : -1;
  }

  /** Garbage collections so far. */
  static long collections() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }
}
