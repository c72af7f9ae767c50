package threadping.probe.signal.mechanisms;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import threadping.probe.signal.Cells;

/**
 * Eight bytes, the hand-overs, through a channel of the kernel's. Closing it ends every wait in it.
 */
final class ChannelBox implements Mailbox {
  private final WritableByteChannel in;
  private final ReadableByteChannel out;
  private final ByteBuffer written = message();
  private final ByteBuffer read = message();

  /** What is written to {@code in} comes {@code out}. */
  ChannelBox(WritableByteChannel in, ReadableByteChannel out) {
    this.in = in;
    this.out = out;
  }

  /** Outside the heap, so that nothing is copied on the way to the kernel. */
  private static ByteBuffer message() {
    return ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
  }

  @Override
  public void send(long handOvers) {
    written.clear();
    written.putLong(0, handOvers);
    try {
      while (written.hasRemaining()) {
        in.write(written);
      }
    } catch (IOException error) {
      refuseUnlessStopped(error);
    }
  }

  @Override
  public long receive(long expected) {
    read.clear();
    try {
      while (read.hasRemaining()) {
        if (out.read(read) < 0) {
          return Cells.POISON;
        }
      }
    } catch (IOException error) {
      refuseUnlessStopped(error);
      return Cells.POISON;
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
    try {
      in.close();
      out.close();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
