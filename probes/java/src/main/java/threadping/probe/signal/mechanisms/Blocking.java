package threadping.probe.signal.mechanisms;

import threadping.probe.Params;

/** A mechanism whose waiting side sleeps: a pair of mailboxes for each cell. */
abstract class Blocking extends SignalMechanism {
  Blocking(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final boolean blocking() {
    return true;
  }

  @Override
  public final Cells cells(int count, Params params) {
    Mailboxes.Pair[] pairs = new Mailboxes.Pair[count];
    for (int cell = 0; cell < count; cell++) {
      pairs[cell] = pair(params);
    }
    return new Mailboxes(pairs);
  }

  /** The mailboxes of one cell. */
  abstract Mailboxes.Pair pair(Params params);
}
