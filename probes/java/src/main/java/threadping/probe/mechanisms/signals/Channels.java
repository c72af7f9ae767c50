package threadping.probe.mechanisms.signals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import threadping.probe.Failure;

/**
 * Ways through the kernel, by java.nio's channels, whose reading ends block. Of a socket the
 * writing end blocks too, since it reads what comes back: a publisher waits where hundreds of
 * numbers are not read, and so these are for pairs alone.
 */
final class Channels {
  private Channels() {}

  /** A pipe for each signal. Who writes into a full one goes on. */
  static Signal pipe(long word) {
    return opened(
        () -> {
          Pipe pipe = Pipe.open();
          pipe.sink().configureBlocking(false);
          return new ThroughChannel(word, pipe.sink(), pipe.source());
        });
  }

  /**
   * Two connected Unix stream sockets; a pair's signals go both ways through them. Java has no
   * socketpair(2): the sockets meet at a file, which is gone once they have. What is said and
   * measured afterwards is the same.
   */
  static Signal unixSockets(long word, Signal first) {
    if (first != null) {
      return ThroughChannel.back(word, (ThroughChannel) first);
    }
    SocketAddress anywhere = null; // a fresh name in the temporary folder
    return opened(
        () -> {
          try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(anywhere);
            SocketChannel near = SocketChannel.open(server.getLocalAddress());
            SocketChannel far = server.accept();
            Files.delete(((UnixDomainSocketAddress) server.getLocalAddress()).getPath());
            return new ThroughChannel(word, near, far);
          }
        });
  }

  /**
   * A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a
   * small message back.
   */
  static Signal tcp(long word, Signal first) {
    if (first != null) {
      return ThroughChannel.back(word, (ThroughChannel) first);
    }
    return opened(
        () -> {
          try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel near = SocketChannel.open(server.getLocalAddress());
            SocketChannel far = server.accept();
            near.setOption(StandardSocketOptions.TCP_NODELAY, true);
            far.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new ThroughChannel(word, near, far);
          }
        });
  }

  private interface Opening {
    Signal open() throws IOException;
  }

  private static Signal opened(Opening opening) {
    try {
      return opening.open();
    } catch (IOException error) {
      throw Failure.Code.INTERNAL.failure(
          error,
          "No more channels (%s): ask for fewer lines, or raise the limit of open files.",
          error.getMessage());
    }
  }
}
