package threadping.probe.platform;

/** Threads to measure with. */
public final class Threads {
  private Threads() {}

  /** A thread that ends with the process, not started. */
  public static Thread make(boolean virtual, String name, Runnable turns) {
    if (virtual) {
      return makeVirtual(name, turns);
    }
    Thread thread = new Thread(turns, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * From now on the kernel kills this process when its parent dies. A parent that died before is
   * noticed by its id; -1 is any. The kernel keeps the signal with the calling thread, so this must
   * be one that lives as long as the probe.
   */
  public static void dieWithParent(int expected) {
    Native.dieWithParent(expected);
  }

  /** Gives the CPU away for so long; by no mechanism of Java's, and so no permit is used up. */
  public static void sleep(long ns) {
    Native.sleep(ns);
  }

  /** {@code Thread.ofVirtual().name(name).unstarted(turns)}; by name, as compiled for Java 17. */
  private static Thread makeVirtual(String name, Runnable turns) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object named = type.getMethod("name", String.class).invoke(builder, name);
      return (Thread) type.getMethod("unstarted", Runnable.class).invoke(named, turns);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException("This JVM makes no virtual threads.", error);
    }
  }
}
