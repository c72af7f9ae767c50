package threadping.probe.waits;

/**
 * Looks again at once: the quickest to see the news, and the greediest. A waiting side keeps asking
 * for the line.
 */
final class Spin implements Wait {
  @Override
  public long again(long state) {
    return state;
  }
}
