package threadping.probe.mechanisms.signals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import threadping.probe.platform.Words;

/**
 * Eight bytes through a channel of the kernel's with each number, which stands in a word beside it.
 * Closing the channel ends every wait in it.
 *
 * <p>The write that must be seen is the number; the kernel orders it. The awaiter takes all the
 * bytes that are there before it looks, always some: whoever took those of n has seen n. Where a
 * channel that does not block is full, the awaiter has bytes to take anyway, and sees the number.
 */
final class ThroughChannel extends SignalInWord {
  private static final int MOST_AT_ONCE = 4096;

  private final WritableByteChannel in;
  private final ReadableByteChannel out;

  /** Outside the heap, so that nothing is copied on the way to the kernel. */
  private final ByteBuffer written = ByteBuffer.allocateDirect(Long.BYTES);

  private final ByteBuffer read = ByteBuffer.allocateDirect(MOST_AT_ONCE);

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
