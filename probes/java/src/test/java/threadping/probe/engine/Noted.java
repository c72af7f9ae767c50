package threadping.probe.engine;

import java.util.List;
import java.util.stream.IntStream;

/** Samples that nobody takes away: they are there to be looked at. */
public final class Noted extends Samples {
  /** So often a player said that it was about to time. */
  public int looks;

  public Noted() {
    super(1 << 16);
    isSampling = true;
  }

  /** How far a player said that it had come in the midst of a run. */
  public long progress;

  @Override
  public void progress(long done) {
    progress = done;
  }

  @Override
  public void aboutToTime() {
    looks++;
  }

  @Override
  void settle() {
    throw new AssertionError("There is no space for more.");
  }

  public int size() {
    return added;
  }

  public long from(int each) {
    return fromNs[each];
  }

  public long to(int each) {
    return toNs[each];
  }

  public long readings() {
    return readings;
  }

  public long made(int tally) {
    return made[tally];
  }

  public long found(int tally) {
    return found[tally];
  }

  public boolean othersWait() {
    return othersWait;
  }

  /** How many numbers there are, ... */
  public int saidNumbers() {
    return numbered;
  }

  /** ... the index of each, ... */
  public int index(int each) {
    return numberIndex[each];
  }

  /** ... and it. */
  public long number(int each) {
    return numbers[each];
  }

  /** Those of this index. */
  public List<Long> numbers(int index) {
    return IntStream.range(0, numbered)
        .filter(each -> numberIndex[each] == index)
        .mapToObj(each -> numbers[each])
        .toList();
  }
}
