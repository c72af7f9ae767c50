package threadping.probe.mechanisms.queues;

/** Takes references out of a queue: what came out last is all that there is to be looked at. */
abstract class OneByOne implements Taker {
  private Message last;

  /** Waits for a message; null if it was stopped. */
  protected abstract Message take() throws InterruptedException;

  /** A message if there is one; null if not. */
  protected abstract Message poll();

  @Override
  public final long await(long place) throws InterruptedException {
    last = take();
    return last == null ? place - 1 : place;
  }

  @Override
  public final long more(long place) {
    last = poll();
    return last == null ? place - 1 : place;
  }

  @Override
  public final Message at(long place) {
    return last;
  }

  @Override
  public final void release(long place) {}

  /** A take goes on until it finds nothing. */
  @Override
  public final boolean isEmpty(long place) {
    return last == null;
  }
}
