package threadping.probe.platform;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Virtual threads (Java 21), which the virtual machine runs on carrier threads of its choice. What
 * the carriers use, all together, counts for the first; nothing for the others.
 */
public final class VirtualThreads implements MeasuringThreads {
  /** {@code Thread.ofVirtual().name(role).unstarted(turns)}; by name, as compiled for Java 11. */
  @Override
  public Thread make(String role, Runnable turns) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object named = type.getMethod("name", String.class).invoke(builder, role);
      return (Thread) type.getMethod("unstarted", Runnable.class).invoke(named, turns);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException("This JVM makes no virtual threads.", error);
    }
  }

  @Override
  public List<Meter> meters(int threads) {
    List<Meter> meters = new ArrayList<>(Collections.nCopies(threads, new NoMeter()));
    meters.set(0, new CarrierMeter());
    return meters;
  }

  private static final class NoMeter implements Meter {
    @Override
    public void start() {}

    @Override
    public ThreadCounters stop() {
      return ThreadCounters.none();
    }
  }
}
