package threadping.probe.crew;

/** Operations that do nothing, on no cells, and take a nanosecond where they are timed. */
class NoWork extends IdleLoops {
  NoWork() {
    super(null, () -> {});
  }

  @Override
  public int plain(int thread, int line, int count) {
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    for (int done = 0; done < count; done++) {
      timings.set(done, openedNs, openedNs + 1);
    }
    return count;
  }
}
