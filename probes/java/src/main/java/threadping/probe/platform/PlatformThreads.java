package threadping.probe.platform;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Threads as the kernel knows them. */
public final class PlatformThreads implements MeasuringThreads {
  @Override
  public Thread make(String role, Runnable turns) {
    Thread thread = new Thread(turns, role);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public List<Meter> meters(int threads) {
    return Stream.generate(OwnMeter::new).limit(threads).collect(Collectors.toList());
  }
}
