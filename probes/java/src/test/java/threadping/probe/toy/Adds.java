package threadping.probe.toy;

import threadping.probe.platform.Words;

/** The mechanisms: how one is added to a counter. */
interface Adds {
  /** A load and a store: enough where nobody else writes. */
  Adds STORE = counter -> Words.setRelease(counter, Words.getOpaque(counter) + 1);

  /** One locked instruction. */
  Adds LOCKED = counter -> Words.getAndAdd(counter, 1);

  void add(long counter);
}
