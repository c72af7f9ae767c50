package threadping.probe.mechanisms.signals;

import threadping.Signal;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Words;

/**
 * A signal whose number is a word outside the heap, on a line pair of its own; or that sends the
 * number another way, and notes it there once that is done. With padding before its fields, so that
 * the two signals of a pair do not write to each other's lines.
 */
abstract class SignalInWord extends LinePair implements Signal {
  final long word;

  /** The number is the word at this address. */
  SignalInWord(long word) {
    this.word = word;
  }

  @Override
  public final long published() {
    return Words.getAcquire(word);
  }
}
