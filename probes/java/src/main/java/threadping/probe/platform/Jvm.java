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

  /** Whether it has management beans: one that jlink made for one program may be without. */
  private static boolean tells() {
    return ModuleLayer.boot().findModule("java.management").isPresent();
  }

  /** The flags that it was started with, from wherever they came; none where it does not tell. */
  public static List<String> flags() {
    return tells() ? ManagementFactory.getRuntimeMXBean().getInputArguments() : List.of();
  }

  /** Milliseconds spent compiling so far; -1 where there is no compiler or it does not tell. */
  public static long compileMs() {
    CompilationMXBean compiler = tells() ? ManagementFactory.getCompilationMXBean() : null;
    boolean times = compiler != null && compiler.isCompilationTimeMonitoringSupported();
    return times ? compiler.getTotalCompilationTime() : -1;
  }

  /** Garbage collections so far; none where it does not tell. */
  public static long collections() {
    if (!tells()) {
      return 0;
    }
    long sum = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }
}
