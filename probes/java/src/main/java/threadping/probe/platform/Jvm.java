package threadping.probe.platform;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** What the virtual machine tells of itself. */
public final class Jvm {
  private static final FutureTask<Jvm> ONE = new FutureTask<>(Jvm::new);

  private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();

  /** Asked once for nothing: the first answers load much, which a lead in a crowd cannot afford. */
  private Jvm() {
    compileMs();
    collections();
  }

  /** Begins to load what it needs, which takes tens of milliseconds, beside what else is to do. */
  public static void load() {
    Threads.make(false, "jvm", ONE).start();
  }

  /** The only one, once that is loaded. */
  public static Jvm get() {
    ONE.run();
    try {
      return ONE.get();
    } catch (InterruptedException | ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

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
    long sum = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }
}
