package threadping.probe.platform;

import java.util.List;

/** Threads to measure with. */
public interface MeasuringThreads {
  /** A thread, not started, that ends with the process. */
  Thread make(String role, Runnable turns);

  /** A meter for each of so many threads. */
  List<Meter> meters(int threads);
}
