package threadping.probe.lock.mechanisms;

import threadping.probe.lock.Cell;
import threadping.probe.platform.LinePair;

/**
 * A cell whose counter has a line pair of its own: who looks at the lock, or at the cell's other
 * fields, does not take the counter from its holder. Those of a subclass stand behind the room.
 */
abstract class Counting extends Count implements Cell {
  long after0;
  long after1;
  long after2;
  long after3;
  long after4;
  long after5;
  long after6;
  long after7;
  long after8;
  long after9;
  long after10;
  long after11;
  long after12;
  long after13;
  long after14;
  long after15;

  @Override
  public long found() {
    return count;
  }
}

/** A plain counter, with room before it. */
abstract class Count extends LinePair {
  long count;
}
