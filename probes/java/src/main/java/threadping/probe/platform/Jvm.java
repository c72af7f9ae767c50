package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the virtual machine tells of itself. Made before measuring: its first use loads much. */
public final class Jvm {
  /** How HotSpot names its compiler threads. The kernel keeps 15 characters of a name. */
  private static final List<String> COMPILERS = List.of("C1 Compiler", "C2 Compiler");

  /** A compiler that has looked idle so often, a millisecond apart, has nothing left to do. */
  private static final int IDLE_LOOKS = 3;

  private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();

  /** The flags that it was started with, from wherever they came. */
  public static List<String> flags() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments();
  }

  /**
   * Milliseconds spent compiling so far, or null where there is no compiler or it does not tell.
   */
  public Long compileMs() {
    boolean tells = compiler != null && compiler.isCompilationTimeMonitoringSupported();
    return tells ? (Long) compiler.getTotalCompilationTime() : null;
  }

  /** Garbage collections so far. */
  public long collections() {
    long all = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      all += Math.max(0, collector.getCollectionCount());
    }
    return all;
  }

  /**
   * Sleeps until the compiler is idle, at most so long. The beans tell of a compilation only when
   * it is done; the kernel tells whether a compiler thread runs, or would run if it had a CPU.
   */
  public static void awaitIdleCompiler(long limitNs) {
    long start = System.nanoTime();
    for (int idle = 0; idle < IDLE_LOOKS && System.nanoTime() - start < limitNs; ) {
      try {
        TimeUnit.MILLISECONDS.sleep(1);
      } catch (InterruptedException impossible) {
        throw new IllegalStateException(impossible);
      }
      idle = isCompiling() ? 0 : idle + 1;
    }
  }

  private static boolean isCompiling() {
    for (Task task : Task.all()) {
      String stat = task.read("stat"); // "12 (C2 CompilerThre) R 1 ...", proc(5)
      if (stat != null
          && stat.charAt(stat.lastIndexOf(')') + 2) == 'R'
          && COMPILERS.stream().anyMatch(stat::contains)) {
        return true;
      }
    }
    return false;
  }
}
