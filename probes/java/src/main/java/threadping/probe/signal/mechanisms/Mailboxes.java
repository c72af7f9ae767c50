package threadping.probe.signal.mechanisms;

import java.util.function.Supplier;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.signal.Cells;

/**
 * The cells of a blocking mechanism: two mailboxes each, one to pong and one to ping, in which each
 * side tells the other how many hand-overs have happened. A place is the mailbox that a side sends
 * to.
 */
final class Mailboxes implements Cells {
  private final Mailbox[] boxes;

  /**
   * For each place what was received there when ping left the line: it need not be received again.
   */
  private final long[] known;

  /** What was sent by each side, on lines of its own: a sign of life, and what is counted. */
  private final Lines sent;

  Mailboxes(int count, Supplier<Mailbox.Pair> pairs) {
    this.boxes = new Mailbox[2 * count];
    this.known = new long[2 * count];
    this.sent = new Lines(count);
    for (int line = 0; line < count; line++) {
      Mailbox.Pair pair = pairs.get();
      boxes[2 * line + PING] = pair.toPong;
      boxes[2 * line + PONG] = pair.toPing;
    }
  }

  @Override
  public long place(int side, int line) {
    return 2L * line + side;
  }

  @Override
  public long await(long theirs, long expected) {
    int place = (int) theirs;
    return known[place] == expected ? expected : receive(boxes[place], expected);
  }

  @Override
  public void tell(long own, long expected) {
    int place = (int) own;
    try {
      boxes[place].send(expected + 1);
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
    Words.setRelease(sent.pair(place / 2, place % 2), expected + 1);
  }

  @Override
  public long awaitAnswer(long theirs, long expected) {
    int place = (int) theirs;
    known[place] = await(theirs, expected);
    return known[place];
  }

  private static long receive(Mailbox box, long expected) {
    try {
      return box.receive(expected);
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
  }

  @Override
  public void stop(int line) {
    try {
      boxes[2 * line + PING].stop();
      boxes[2 * line + PONG].stop();
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
  }

  private static IllegalStateException interrupted(InterruptedException impossible) {
    return new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
  }

  @Override
  public long handOvers(int line) {
    return Math.max(Words.getAcquire(sent.first(line)), Words.getAcquire(sent.second(line)));
  }
}
