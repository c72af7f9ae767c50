package threadping.probe.mechanisms.signals;

import threadping.probe.platform.Words;

/**
 * A semaphore (java.util.concurrent) that gets a permit with each number.
 *
 * <p>The write that must be seen is the number, which the semaphore orders. The awaiter always
 * takes a permit before it looks. It cannot take in vain: whoever took the permit of n has seen n,
 * and while it has not, the permit is there, or about to be given.
 */
final class Semaphore extends SignalInWord {
  private final java.util.concurrent.Semaphore numbers = new java.util.concurrent.Semaphore(0);

  Semaphore(long word) {
    super(word);
  }

  @Override
  public void publish(long n) {
    Words.setRelease(word, n);
    numbers.release();
  }

  @Override
  public long await(long n) throws InterruptedException {
    long seen = Words.getAcquire(word);
    if (seen >= STOPPED) {
      return seen; // there are permits for those who wait then, and not for all who come later
    }
    do {
      numbers.acquire();
    } while ((seen = Words.getAcquire(word)) < n);
    return seen;
  }

  @Override
  public void stop() {
    publish(STOPPED);
  }
}
