package threadping.probe.lock.mechanisms;

import threadping.probe.platform.LinePair;

/** A plain counter, with room before it. Room after it is {@link Counting}'s. */
abstract class Count extends LinePair {
  long count;
}
