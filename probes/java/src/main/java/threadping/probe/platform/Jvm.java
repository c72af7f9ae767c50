package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What the virtual machine tells of itself. Made before measuring: its first use loads much. */
public final class Jvm {
  /** A compiler that has looked idle so often, a millisecond apart, has nothing left to do. */
  private static final int IDLE_LOOKS = 3;

  private static final long BETWEEN_LOOKS_NS = 1_000_000;

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

  /**
   * Sleeps until the compiler is idle, at most so long. The beans tell of a compilation only when
   * it is done; a compiler at work uses CPU time. Asking for that compiles next to nothing itself.
   */
  public static void awaitIdleCompiler(long limitNs) {
    long start = System.nanoTime();
    List<Task> compilers = Task.named("C1 Compiler", "C2 Compiler"); // as HotSpot names them
    long before = cpuNs(compilers);
    for (int idle = 0; idle < IDLE_LOOKS && System.nanoTime() - start < limitNs; ) {
      LockSupport.parkNanos(BETWEEN_LOOKS_NS);
      long now = cpuNs(compilers);
      idle = now == before ? idle + 1 : 0;
      before = now;
    }
  }

  private static long cpuNs(List<Task> tasks) {
    long all = 0;
    for (Task task : tasks) {
      all += task.cpuNs();
    }
    return all;
  }
}
