package threadping.probe.mechanisms.signals;

import threadping.Signal;
import threadping.probe.engine.Params;
import threadping.probe.platform.Lines;

/**
 * Pairs of signals, one for each line: ping's and pong's.
 *
 * <p>The handoffs of a pair are numbered from 0. Ping takes turns 0, 2, 4, ...; pong takes 1, 3, 5,
 * .... A turn is a wait and a publication, which can be timed, paced or paired alone. Where the
 * write that ends the wait publishes as well (a swap), {@link #publish} has nothing left to do.
 */
public interface Pairs {
  int PING = 0;
  int PONG = 1;

  /**
   * Waits until {@code expected} handoffs have happened, and makes it one more. Returns those that
   * it saw: {@code expected}, or something larger when the pair was stopped (at least {@link
   * Signal#STOPPED}) or the sequence is broken.
   *
   * <p>The two {@link #place}s are found once for many turns, so that nothing is between them that
   * C++ has not: looking for them anew acted as a pause before the next try, and {@code
   * cas-one-line} took 65 ns instead of 83 (two virtual CPUs of an Intel Xeon).
   */
  default long turn(long own, long theirs, long expected) throws InterruptedException {
    long seen = await(theirs, expected);
    if (seen == expected) {
      publish(own, expected);
    }
    return seen;
  }

  /**
   * Where this side publishes on a line, and the other side waits: an address, or what names it.
   */
  long place(int side, int line);

  /** The first half of a turn, with the other side's place. */
  long await(long theirs, long expected) throws InterruptedException;

  /** The second half, with the own place: only after {@code expected}. */
  void publish(long own, long expected) throws InterruptedException;

  /**
   * Ping's, when it leaves a line: waits until {@code expected} handoffs have happened, and returns
   * those that it saw. A pong that is met to hand over (at an Exchanger) could not leave otherwise;
   * one that leaves its word behind needs nothing.
   */
  default long awaitAnswer(long theirs, long expected) throws InterruptedException {
    return expected;
  }

  /** Ends every wait on a line. May be called by any thread at any time, again and again. */
  void stop(int line);

  /**
   * Something that changes with every handoff, for any thread at any time. When both sides have
   * ended it is their number, or at least {@link Signal#STOPPED} if a stop has overwritten it.
   */
  long handoffs(int line);

  /** The address of the first pair; 0 where they are in the heap. */
  default long memory() {
    return 0;
  }

  /**
   * The pairs of a signal whose awaiter sleeps: one signal to pong and one to ping, in which each
   * side publishes how many handoffs have happened. A place is the signal in which a side
   * publishes.
   */
  final class OfSignals implements Pairs {
    final Signal[] signals;

    /**
     * For each place what was published there when ping left the line: it need not be awaited
     * again.
     */
    private final long[] known;

    OfSignals(int count, Signals.Blocking.SignalMaker maker, Params params) {
      this.signals = new Signal[2 * count];
      this.known = new long[2 * count];
      Lines lines = new Lines(count);
      for (int line = 0; line < count; line++) {
        Signal toPong = maker.signal(params, lines.first(line), null);
        signals[2 * line + PING] = toPong;
        signals[2 * line + PONG] = maker.signal(params, lines.second(line), toPong);
      }
    }

    @Override
    public long place(int side, int line) {
      return 2L * line + side;
    }

    @Override
    public long await(long theirs, long expected) throws InterruptedException {
      int place = (int) theirs;
      return known[place] == expected ? expected : signals[place].await(expected);
    }

    @Override
    public void publish(long own, long expected) throws InterruptedException {
      signals[(int) own].publish(expected + 1);
    }

    @Override
    public long awaitAnswer(long theirs, long expected) throws InterruptedException {
      return known[(int) theirs] = await(theirs, expected);
    }

    @Override
    public void stop(int line) {
      signals[2 * line + PING].stop();
      signals[2 * line + PONG].stop();
    }

    @Override
    public long handoffs(int line) {
      return Math.max(signals[2 * line + PING].published(), signals[2 * line + PONG].published());
    }
  }
}
