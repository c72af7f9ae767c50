package threadping.probe.crew;

import java.util.Map;
import threadping.probe.message.Result;

/**
 * Loops that perform nothing: with them the crew rehearses its visits, until all that surrounds the
 * timed loops is compiled.
 *
 * <p>There are three kinds, in turn: the virtual machine inlines two at a call at most
 * (TypeProfileWidth). So it compiles what surrounds the timed loops without them, and leaves each
 * of those one compiled method of its own.
 */
abstract class IdleLoops implements Loops {
  static Loops[] kinds() {
    return new Loops[] {new IdleLoops() {}, new IdleLoops() {}, new IdleLoops() {}};
  }

  @Override
  public int plain(int thread, int line, int count) {
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, long[] durations, int count) {
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
