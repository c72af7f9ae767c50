package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What the virtual machine tells of itself. Made before measuring: its first use loads much. */
public final class Jvm {
  private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();

  /** The flags that it was started with, from wherever they came. */
  public static List<String> flags() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments();
  }

  /** Milliseconds spent compiling so far; null where there is no compiler or it is mute. */
  public Long compileMs() {
    boolean tells = compiler != null && compiler.isCompilationTimeMonitoringSupported();
    return tells ? (Long) compiler.getTotalCompilationTime() : null;
  }

  /** Garbage collections so far. */
  public long collections() {
    return collectors.stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .filter(count -> count > 0)
        .sum();
  }
}
