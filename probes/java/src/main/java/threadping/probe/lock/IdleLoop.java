package threadping.probe.lock;

import threadping.probe.lock.mechanisms.Cell;

/**
 * Performs nothing: with it a worker rehearses all that surrounds the timed loops, some hundred
 * thousand times in a few milliseconds, until it is compiled.
 */
final class IdleLoop implements TimedLoop {
  @Override
  public void perform(Cell cell, int count) {}
}
