package threadping.probe.mechanisms.signals;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import threadping.probe.platform.Words;

/**
 * An Exchanger: the publisher brings its message, the awaiter brings nothing, and whoever comes
 * first spins and yields for a while and then parks. The two meet.
 *
 * <p>The write that must be seen is the message; the exchange orders it.
 */
final class ThroughExchanger extends SignalInWord {
  private final Exchanger<Message> exchanger = new Exchanger<>();
  private final Message message = new Message();
  private final Message nothing = new Message();

  ThroughExchanger(long word) {
    super(word);
  }

  @Override
  public void publish(long n) throws InterruptedException {
    message.number = n;
    exchanger.exchange(message);
    Words.setRelease(word, n);
  }

  @Override
  public long await(long n) throws InterruptedException {
    return exchanger.exchange(nothing).number;
  }

  /** Meets whoever waits; at once, or not this time. */
  @Override
  public void stop() {
    Words.setVolatile(word, STOPPED);
    try {
      exchanger.exchange(Message.STOP, 0, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | InterruptedException nobodyWaits) {
      return;
    }
  }
}
