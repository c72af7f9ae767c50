package threadping.probe.signal.mechanisms;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An Exchanger for each direction: the teller brings its message, the other side brings nothing,
 * and whoever comes first spins and yields for a while and then parks.
 *
 * <p>The write that must be seen is the message; the exchange orders it.
 */
final class Exchanging implements Mailbox {
  private final Exchanger<Message> exchanger = new Exchanger<>();
  private final Message message = new Message();
  private final Message nothing = new Message();

  @Override
  public void send(long handOvers) throws InterruptedException {
    message.handOvers = handOvers;
    exchanger.exchange(message);
  }

  @Override
  public long receive(long expected) throws InterruptedException {
    return exchanger.exchange(nothing).handOvers;
  }

  /** Meets whoever waits; at once, or not this time. */
  @Override
  public void stop() throws InterruptedException {
    try {
      exchanger.exchange(Message.STOP, 0, TimeUnit.NANOSECONDS);
    } catch (TimeoutException nobodyWaits) {
      return;
    }
  }
}
