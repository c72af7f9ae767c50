package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * What the virtual machine tells of itself: HotSpot by its performance counters, any other by its
 * management beans, which take tens of milliseconds to load.
 */
public final class Jvm {
  private final long[] counters = new long[2];
  private final boolean isHotSpot = Native.jvmCounters(counters);
  private final CompilationMXBean compiler;
  private final List<GarbageCollectorMXBean> collectors;

  /** Asked once for nothing: the first answers load much, which a lead in a crowd cannot afford. */
  public Jvm() {
    compiler = isHotSpot ? null : ManagementFactory.getCompilationMXBean();
    collectors = isHotSpot ? List.of() : ManagementFactory.getGarbageCollectorMXBeans();
    compileMs();
    collections();
  }

  /** Lets Agrona reach its memory, before its first class is loaded. */
  public static void openToAgrona() {
    Native.openPackage(Object.class.getModule(), "jdk.internal.misc");
  }

  /** The flags that it was started with, from wherever they came. */
  public static List<String> flags() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments();
  }

  /** Milliseconds spent compiling so far; null where there is no compiler or it is mute. */
  public Long compileMs() {
    if (isHotSpot) {
      Native.jvmCounters(counters);
      return counters[0];
    }
    boolean tells = compiler != null && compiler.isCompilationTimeMonitoringSupported();
    return tells ? (Long) compiler.getTotalCompilationTime() : null;
  }

  /** Garbage collections so far. */
  public long collections() {
    if (isHotSpot) {
      Native.jvmCounters(counters);
      return counters[1];
    }
    long sum = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }
}
