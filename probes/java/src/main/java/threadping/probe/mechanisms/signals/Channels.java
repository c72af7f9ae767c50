package threadping.probe.mechanisms.signals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import threadping.Signal;
import threadping.probe.Failure;
import threadping.probe.platform.Words;

/**
 * Eight bytes through a channel of the kernel's (java.nio) with each number, which is in a word
 * next to it. Closing the channel ends every wait in it. Its reading end blocks. Of a socket the
 * writing end blocks too, since it reads what comes back: a publisher waits where hundreds of
 * numbers are not read, and so these are for pairs alone.
 *
 * <p>The write that must be seen is the number; the kernel orders it. The awaiter takes all the
 * bytes that are there before it polls, always some: a thread that took those of n has seen n.
 * Where a channel that does not block is full, the awaiter has bytes to take anyway, and sees the
 * number.
 */
final class Channels extends SignalInWord {
  private static final int MOST_AT_ONCE = 4096;

  private final WritableByteChannel in;
  private final ReadableByteChannel out;

  /** Outside the heap, so that nothing is copied on the way to the kernel. */
  private final ByteBuffer written = ByteBuffer.allocateDirect(Long.BYTES);

  private final ByteBuffer read = ByteBuffer.allocateDirect(MOST_AT_ONCE);

  /** What is written to {@code in} comes {@code out}. */
  private Channels(long word, WritableByteChannel in, ReadableByteChannel out) {
    super(word);
    this.in = in;
    this.out = out;
  }

  private interface Opening<T> {
    T open() throws IOException;
  }

  private static <T> T opened(Opening<T> opening) {
    try {
      return opening.open();
    } catch (IOException error) {
      throw Failure.Code.INTERNAL.failure(
          error,
          "No more channels (%s): ask for fewer lines, or raise the limit of open files.",
          error.getMessage());
    }
  }

  /** A pipe for each signal. Who writes into a full one goes on. */
  static Signal pipe(long word) {
    return opened(
        () -> {
          Pipe pipe = Pipe.open();
          pipe.sink().configureBlocking(false);
          return new Channels(word, pipe.sink(), pipe.source());
        });
  }

  /**
   * Two connected Unix stream sockets. Java has no socketpair(2): the sockets meet at a file, which
   * is gone once they have. What is said and measured afterwards is the same.
   */
  static Signal unixSockets(long word, Signal first) {
    SocketAddress anywhere = null; // a fresh name in the temporary folder
    return connected(
        word, first, () -> ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(anywhere));
  }

  /** A TCP connection over the loopback interface. */
  static Signal tcp(long word, Signal first) {
    SocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return connected(word, first, () -> ServerSocketChannel.open().bind(anywhere));
  }

  /** The signals of a pair go both ways through one connection. */
  private static Signal connected(long word, Signal first, Opening<ServerSocketChannel> opening) {
    if (first instanceof Channels there) {
      return new Channels(word, (SocketChannel) there.out, (SocketChannel) there.in);
    }
    return opened(
        () -> {
          try (ServerSocketChannel server = opening.open()) {
            SocketChannel near = SocketChannel.open(server.getLocalAddress());
            SocketChannel far = server.accept();
            if (server.getLocalAddress() instanceof UnixDomainSocketAddress file) {
              Files.delete(file.getPath());
            } else { // without Nagle's algorithm, which would hold a small message back
              near.setOption(StandardSocketOptions.TCP_NODELAY, true);
              far.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            return new Channels(word, near, far);
          }
        });
  }

  @Override
  public void publish(long n) {
    Words.setRelease(word, n);
    written.clear();
    try {
      in.write(written);
    } catch (IOException error) {
      refuseUnlessStopped(error);
    }
  }

  @Override
  public long await(long n) {
    long seen;
    do {
      read.clear();
      try {
        if (out.read(read) < 0) {
          return STOPPED;
        }
      } catch (IOException error) {
        refuseUnlessStopped(error);
        return STOPPED;
      }
    } while ((seen = Words.getAcquire(word)) < n);
    return seen;
  }

  /** Closing comes with an exception on either side, of many kinds. */
  private void refuseUnlessStopped(IOException error) {
    if (in.isOpen() && out.isOpen()) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public void stop() {
    Words.setVolatile(word, STOPPED);
    try {
      in.close();
      out.close();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
