import org.agrona.concurrent.*;
import org.agrona.concurrent.ringbuffer.*;

/** Agrona's ring of bytes, whose capacity is a power of two: a header and a number for each message. */
public final class AgronaRingBuffer implements threadping.LongQueue {
  private final UnsafeBuffer sent = new UnsafeBuffer(new byte[8]);
  private final OneToOneRingBuffer ring;
  private long taken;
  private final MessageHandler taking = (type, bytes, at, length) -> taken = bytes.getLong(at);

  AgronaRingBuffer(int capacity) {
    int bytes = capacity * 16 + RingBufferDescriptor.TRAILER_LENGTH;
    ring = new OneToOneRingBuffer(new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(bytes)));
  }
  public boolean offer(long number) { sent.putLong(0, number); return ring.write(1, sent, 0, 8); }
  public long poll() { return ring.read(taking, 1) == 0 ? NONE : taken; }
}
