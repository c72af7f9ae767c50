package threadping.probe.signal.mechanisms;

import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import threadping.probe.platform.Lines;
import threadping.probe.signal.Cells;

/**
 * One direction of a blocking mechanism: how one side tells the other how many hand-overs have
 * happened, and how the other sleeps until it is told. One thread sends and one receives.
 */
interface Mailbox {
  /** Makes so many hand-overs known, and wakes the receiver. */
  void send(long handOvers) throws InterruptedException;

  /**
   * Sleeps until {@code expected} hand-overs are known, and returns those that are: {@code
   * expected}, or something larger when it was stopped (at least {@link Cells#POISON}) or the
   * sequence is broken.
   */
  long receive(long expected) throws InterruptedException;

  /** Ends every wait in here. May be called by any thread at any time, again and again. */
  void stop() throws InterruptedException;

  /** The two of a cell. */
  final class Pair {
    final Mailbox toPong;
    final Mailbox toPing;

    Pair(Mailbox toPong, Mailbox toPing) {
      this.toPong = toPong;
      this.toPing = toPing;
    }

    /** Each on its own. */
    static Pair of(Supplier<Mailbox> box) {
      return new Pair(box.get(), box.get());
    }

    /** Each with a word at this address, on lines of its own. */
    static Pair onWords(LongFunction<Mailbox> box) {
      Lines lines = new Lines(1);
      return new Pair(box.apply(lines.first(0)), box.apply(lines.second(0)));
    }

    /** Both around one lock. */
    static <L> Pair around(L lock, Function<L, Mailbox> box) {
      return new Pair(box.apply(lock), box.apply(lock));
    }
  }
}
