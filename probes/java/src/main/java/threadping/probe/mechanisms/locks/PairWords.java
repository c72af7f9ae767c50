package threadping.probe.mechanisms.locks;

import threadping.probe.platform.LinePair;

/** The words of a {@link Pair}, with room before them. */
abstract class PairWords extends LinePair {
  long first;
  long second;

  /** And behind them. */
  abstract static class Fenced extends PairWords {
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, after10, after11, after12, after13, after14, after15;
  }
}
