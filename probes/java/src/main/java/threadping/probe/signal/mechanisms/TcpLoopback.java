package threadping.probe.signal.mechanisms;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a small
 * message back.
 *
 * <p>The write that must be seen is the message; the kernel orders it.
 */
final class TcpLoopback extends Channels {
  TcpLoopback() {
    super(
        "tcp-loopback",
        "Eight bytes through a TCP connection over the loopback interface, with TCP_NODELAY.",
        "Sleeps while it waits; the whole network stack, twice, and a wake-up for every"
            + " hand-over.");
  }

  @Override
  Mailboxes.Pair open() throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel ping = SocketChannel.open(server.getLocalAddress());
      SocketChannel pong = server.accept();
      ping.setOption(StandardSocketOptions.TCP_NODELAY, true);
      pong.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return new Mailboxes.Pair(new ChannelBox(ping, pong), new ChannelBox(pong, ping));
    }
  }
}
