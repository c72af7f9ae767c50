package threadping.probe.mechanisms.signals;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * {@link CasOneLine} one way: the publisher swaps the number that was for its own, and the awaiter
 * looks by a swap that changes nothing, so that every look takes the line.
 *
 * <p>The write that must be seen is the publisher's swap; the one that fails for it has read it.
 */
final class Swapped extends SignalInWord {
  private final Wait wait;

  Swapped(Wait wait) {
    super(new Lines(1).first(0));
    this.wait = wait;
  }

  @Override
  public void publish(long n) {
    Words.compareAndSet(word, n - 1, n);
  }

  @Override
  public long await(long n) {
    Wait between = wait; // locals: fields would be read again after every look
    long place = word;
    long state = between.start();
    while (Words.compareAndSet(place, n - 1, n - 1)) {
      state = between.again(state);
    }
    return Words.getAcquire(place);
  }

  @Override
  public void stop() {
    Words.setVolatile(word, STOPPED);
  }
}
