package threadping.probe.mechanisms.signals;

/**
 * One direction of a pair of counters: ping publishes in its counter, and pong, which waits there,
 * publishes nothing. Of a pair's hand-overs 2n - 1 have then happened when n is published.
 */
final class OneWay implements Signal {
  private final Pairs pairs;
  private final long counter;

  OneWay(Pairs pairs) {
    this.pairs = pairs;
    this.counter = pairs.place(Pairs.PING, 0);
  }

  @Override
  public void publish(long n) throws InterruptedException {
    pairs.tell(counter, 2 * (n - 1));
  }

  @Override
  public long await(long n) throws InterruptedException {
    long seen = pairs.await(counter, 2 * n - 1);
    return seen >= STOPPED ? seen : (seen + 1) >>> 1;
  }

  @Override
  public void stop() {
    pairs.stop(0);
  }

  @Override
  public long published() {
    return pairs.handOvers(0);
  }
}
