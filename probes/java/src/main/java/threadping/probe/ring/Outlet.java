package threadping.probe.ring;

/**
 * Where one consumer takes messages out, one after the other: it waits for the first of a take, and
 * goes on as long as there are more. Places are counted from 0.
 */
public interface Outlet {
  /** Waits for the message in this place; null if it was stopped. */
  Message await(long place);

  /** The message in this place, if it is there already; null if not. */
  Message next(long place);

  /** All before this place were taken. */
  void release(long place);
}
