package threadping.probe.signal.mechanisms;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import threadping.probe.Failure;

/**
 * Ways through the kernel, by java.nio's blocking channels: the write that must be seen is the
 * message, which the kernel orders.
 */
final class Channels {
  private Channels() {}

  /** A pipe for each direction. */
  static Mailbox.Pair pipes() {
    return opened(
        () -> {
          Pipe toPong = Pipe.open();
          Pipe toPing = Pipe.open();
          return new Mailbox.Pair(
              new ChannelBox(toPong.sink(), toPong.source()),
              new ChannelBox(toPing.sink(), toPing.source()));
        });
  }

  /**
   * A connection of two Unix stream sockets. Java has no socketpair(2): the sockets meet at a file,
   * which is gone once they have. What is said and measured afterwards is the same.
   */
  static Mailbox.Pair sockets() {
    SocketAddress anywhere = null; // a fresh name in the temporary folder
    return opened(
        () -> {
          try (ServerSocketChannel server = unixServer().bind(anywhere)) {
            SocketChannel ping = SocketChannel.open(server.getLocalAddress());
            SocketChannel pong = server.accept();
            Files.delete(Path.of(server.getLocalAddress().toString()));
            return connected(ping, pong);
          }
        });
  }

  /**
   * A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a
   * small message back.
   */
  static Mailbox.Pair tcp() {
    return opened(
        () -> {
          try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel ping = SocketChannel.open(server.getLocalAddress());
            SocketChannel pong = server.accept();
            ping.setOption(StandardSocketOptions.TCP_NODELAY, true);
            pong.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return connected(ping, pong);
          }
        });
  }

  private static Mailbox.Pair connected(SocketChannel ping, SocketChannel pong) {
    return new Mailbox.Pair(new ChannelBox(ping, pong), new ChannelBox(pong, ping));
  }

  private interface Opening {
    Mailbox.Pair open() throws IOException;
  }

  private static Mailbox.Pair opened(Opening opening) {
    try {
      return opening.open();
    } catch (IOException error) {
      throw Failure.Code.INTERNAL.failure(
          error,
          "No more channels (%s): ask for fewer lines, or raise the limit of open files.",
          error.getMessage());
    }
  }

  /** {@code ServerSocketChannel.open(UNIX)}; by name, because the probe is compiled for Java 11. */
  private static ServerSocketChannel unixServer() throws IOException {
    try {
      return (ServerSocketChannel)
          ServerSocketChannel.class
              .getMethod("open", ProtocolFamily.class)
              .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
    } catch (ReflectiveOperationException error) {
      throw new IOException(error.getCause());
    }
  }
}
