package threadping.probe.signal.mechanisms;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A connection of two Unix stream sockets. Java has no socketpair(2): the sockets meet at a file,
 * which is gone once they have. What is said and measured afterwards is the same.
 *
 * <p>The write that must be seen is the message; the kernel orders it.
 */
final class SocketPair extends Channels {
  SocketPair() {
    super(
        "socketpair",
        "Eight bytes through a connected pair of Unix stream sockets.",
        "Sleeps while it waits; a write, a read, a socket buffer and a wake-up for every"
            + " hand-over.");
  }

  @Override
  public int sinceJava() {
    return 16;
  }

  @Override
  Mailboxes.Pair open() throws IOException {
    SocketAddress anywhere = null; // a fresh name in the temporary folder
    try (ServerSocketChannel server = server().bind(anywhere)) {
      SocketChannel ping = SocketChannel.open(server.getLocalAddress());
      SocketChannel pong = server.accept();
      Files.delete(Path.of(server.getLocalAddress().toString()));
      return new Mailboxes.Pair(new ChannelBox(ping, pong), new ChannelBox(pong, ping));
    }
  }

  /** {@code ServerSocketChannel.open(UNIX)}; by name, because the probe is compiled for Java 11. */
  private static ServerSocketChannel server() throws IOException {
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
