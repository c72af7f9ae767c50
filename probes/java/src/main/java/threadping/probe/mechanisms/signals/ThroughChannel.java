package threadping.probe.mechanisms.signals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import threadping.probe.platform.Words;

/**
 * Eight bytes, the number, through a channel of the kernel's, which orders it. Closing it ends
 * every wait in it. A publisher waits only where thousands of numbers that nobody has awaited fill
 * it.
 */
final class ThroughChannel extends SignalInWord {
  private final WritableByteChannel in;
  private final ReadableByteChannel out;
  private final ByteBuffer written = message();
  private final ByteBuffer read = message();

  /** What is written to {@code in} comes {@code out}. */
  ThroughChannel(long word, WritableByteChannel in, ReadableByteChannel out) {
    super(word);
    this.in = in;
    this.out = out;
  }

  /** The other way through the connection of a pair's first signal. */
  static ThroughChannel back(long word, ThroughChannel first) {
    return new ThroughChannel(
        word, (WritableByteChannel) first.out, (ReadableByteChannel) first.in);
  }

  /** Outside the heap, so that nothing is copied on the way to the kernel. */
  private static ByteBuffer message() {
    return ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
  }

  @Override
  public void publish(long n) {
    written.clear();
    written.putLong(0, n);
    try {
      while (written.hasRemaining()) {
        in.write(written);
      }
      Words.setRelease(word, n);
    } catch (IOException error) {
      refuseUnlessStopped(error);
    }
  }

  @Override
  public long await(long n) {
    long seen;
    do {
      seen = read();
    } while (seen < n);
    return seen;
  }

  private long read() {
    read.clear();
    try {
      while (read.hasRemaining()) {
        if (out.read(read) < 0) {
          return STOPPED;
        }
      }
    } catch (IOException error) {
      refuseUnlessStopped(error);
      return STOPPED;
    }
    return read.getLong(0);
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
