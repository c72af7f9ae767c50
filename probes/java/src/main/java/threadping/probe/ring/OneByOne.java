package threadping.probe.ring;

/** Takes references out of a queue: what came out last is all that there is to be looked at. */
public abstract class OneByOne implements Outlet {
  private Message last;

  /** Waits for a message; null if it was stopped. */
  protected abstract Message take();

  /** A message if there is one; null if not. */
  protected abstract Message poll();

  @Override
  public final long await(long place) {
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
}
