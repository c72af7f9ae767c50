package threadping.probe.lock;

import threadping.probe.lock.mechanisms.Cell;

/**
 * Performs operations on a cell. There are three of them, so that the virtual machine, which knows
 * two at a call at most, leaves each a compiled method of its own: what it has learnt of one loop
 * does not change the code of another, and the worker around them is compiled without them.
 */
interface TimedLoop {
  void perform(Cell cell, int count);
}
