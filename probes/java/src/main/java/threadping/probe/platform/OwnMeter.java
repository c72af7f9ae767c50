package threadping.probe.platform;

/** What the kernel counts for the calling thread. */
final class OwnMeter implements Meter {
  private ThreadCounters before;

  @Override
  public void start() {
    before = ThreadCounters.before();
  }

  @Override
  public ThreadCounters stop() {
    return before == null ? ThreadCounters.none() : ThreadCounters.after().since(before);
  }
}
