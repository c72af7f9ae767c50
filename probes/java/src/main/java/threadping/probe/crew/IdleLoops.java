package threadping.probe.crew;

import java.util.Map;
import threadping.probe.message.Result;

/**
 * Loops that perform nothing: with them the crew rehearses its visits, until all that surrounds the
 * timed loops is compiled.
 *
 * <p>There are three kinds, in turn: the virtual machine inlines two at a call at most
 * (TypeProfileWidth). So it compiles what surrounds the timed loops without them, and leaves each
 * of those one compiled method of its own. They differ in what they claim to take, so that whatever
 * may become of an operation is rehearsed: nothing, a nanosecond, which is long here, and all the
 * time since before the window.
 */
abstract class IdleLoops implements Loops {
  private final Runnable giveWay;

  /** They give way so after each loop: threads that want more CPUs than there are take turns. */
  IdleLoops(Runnable giveWay) {
    this.giveWay = giveWay;
  }

  static Loops[] kinds(Runnable giveWay) {
    return new Loops[] {
      new IdleLoops(giveWay) {},
      new IdleLoops(giveWay) {
        @Override
        long began(long nowNs) {
          return nowNs - 1;
        }
      },
      new IdleLoops(giveWay) {
        @Override
        long began(long nowNs) {
          return 0;
        }
      }
    };
  }

  /** When an operation began that ends now. */
  long began(long nowNs) {
    return nowNs;
  }

  @Override
  public int plain(int thread, int line, int count) {
    giveWay.run();
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    for (int done = 0; done < count; done++) {
      long now = System.nanoTime();
      timings.set(done, began(now), now);
    }
    return plain(thread, line, count);
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
