package threadping.probe.crew;

import java.util.Arrays;
import java.util.Map;
import threadping.probe.message.Result;

/** Operations that do nothing, on no cells, and take a nanosecond where they are timed. */
class NoWork implements Loops {
  @Override
  public int plain(int thread, int line, int count) {
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, long[] durations, int count) {
    Arrays.fill(durations, 0, count, 1);
    return count;
  }

  @Override
  public long progress(int line) {
    return 0;
  }

  @Override
  public Map<String, Result.Held> counts(long made) {
    return Map.of();
  }
}
