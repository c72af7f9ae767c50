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
 * may become of an operation is rehearsed: nothing, some nanoseconds, which are long here, and all
 * the time since before the window. To who times all that comes, now and then nothing comes.
 */
abstract class IdleLoops implements Loops {
  /** Long, and longer: what is kept of it is all as long in the end, and no more is. */
  private static final int NANOSECONDS = 4;

  /** Few, so that a loop is soon over. */
  private static final int MOST_THAT_COME = 4;

  private final Loops rehearsed;
  private final Runnable giveWay;

  /**
   * In place of these. They give way so after each loop: threads that want more CPUs than there are
   * take turns.
   */
  IdleLoops(Loops rehearsed, Runnable giveWay) {
    this.rehearsed = rehearsed;
    this.giveWay = giveWay;
  }

  static Loops[] kinds(Loops rehearsed, Runnable giveWay) {
    return new Loops[] {
      new IdleLoops(rehearsed, giveWay) {},
      new IdleLoops(rehearsed, giveWay) {
        @Override
        long began(long nowNs) {
          return nowNs - 1 - nowNs % NANOSECONDS;
        }
      },
      new IdleLoops(rehearsed, giveWay) {
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
    return come(thread, count);
  }

  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    int all = come(thread, count);
    for (int done = 0; done < all; done++) {
      long now = System.nanoTime();
      timings.set(done, began(now), now);
    }
    giveWay.run();
    return all;
  }

  private int come(int thread, int count) {
    boolean mayBeFewer = rehearsed.timesAll(thread);
    return mayBeFewer ? Math.floorMod(System.nanoTime(), MOST_THAT_COME) : count;
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
