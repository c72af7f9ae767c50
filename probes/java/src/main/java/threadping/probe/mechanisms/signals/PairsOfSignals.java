package threadping.probe.mechanisms.signals;

import threadping.probe.platform.Lines;

/**
 * The pairs of a signal whose awaiter sleeps: one signal to pong and one to ping, in which each
 * side publishes how many hand-overs have happened. A place is the signal in which a side
 * publishes.
 */
final class PairsOfSignals implements Pairs {
  private final Signal[] signals;

  /**
   * For each place what was published there when ping left the line: it need not be awaited again.
   */
  private final long[] known;

  /** Makes a signal, the first of a pair or, with that, the second. */
  interface Maker {
    Signal signal(long word, Signal first);
  }

  PairsOfSignals(int count, Maker maker) {
    this.signals = new Signal[2 * count];
    this.known = new long[2 * count];
    Lines lines = new Lines(count);
    for (int line = 0; line < count; line++) {
      Signal toPong = maker.signal(lines.first(line), null);
      signals[2 * line + PING] = toPong;
      signals[2 * line + PONG] = maker.signal(lines.second(line), toPong);
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
  public void tell(long own, long expected) throws InterruptedException {
    signals[(int) own].publish(expected + 1);
  }

  @Override
  public long awaitAnswer(long theirs, long expected) throws InterruptedException {
    int place = (int) theirs;
    known[place] = await(theirs, expected);
    return known[place];
  }

  @Override
  public void stop(int line) {
    signals[2 * line + PING].stop();
    signals[2 * line + PONG].stop();
  }

  @Override
  public long handOvers(int line) {
    return Math.max(signals[2 * line + PING].published(), signals[2 * line + PONG].published());
  }
}
