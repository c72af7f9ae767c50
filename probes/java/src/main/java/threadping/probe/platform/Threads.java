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
