package threadping.probe.signal.mechanisms;

import java.io.IOException;

/**
 * Two pipes of the kernel's, through java.nio's blocking channels.
 *
 * <p>The write that must be seen is the message; the kernel orders it.
 */
final class Pipe extends Channels {
  Pipe() {
    super(
        "pipe",
        "Eight bytes through a pipe for each direction.",
        "Sleeps while it waits; a write, a read and a wake-up for every hand-over.");
  }

  @Override
  Mailboxes.Pair open() throws IOException {
    return new Mailboxes.Pair(one(), one());
  }

  private static Mailbox one() throws IOException {
    java.nio.channels.Pipe pipe = java.nio.channels.Pipe.open();
    return new ChannelBox(pipe.sink(), pipe.source());
  }
}
