package threadping.probe.ring.mechanisms;

import java.util.Arrays;
import threadping.probe.ring.Inlet;
import threadping.probe.ring.Message;
import threadping.probe.ring.Shape;

/**
 * A producer's messages for a queue that carries references: used again and again, so that nothing
 * is allocated while it is measured. There are more than can be in the queue and in a consumer's
 * hands: when the first is written again, the one after it has been taken, and the consumer that
 * took that one was done with the first.
 */
abstract class Pool implements Inlet {
  private final Message[] messages;
  private final int mask;
  private long next;

  Pool(Shape shape) {
    int more = shape.size + 2; // in the consumer's hands, and being written
    messages = new Message[Integer.highestOneBit(more - 1) << 1];
    mask = messages.length - 1;
    Arrays.setAll(messages, each -> Message.with(shape.payload));
  }

  /** Whether there is room for it is seen when it is published. */
  @Override
  public final long claim(int count) {
    next += count;
    return next - 1;
  }

  @Override
  public final Message message(long place) {
    return messages[(int) place & mask];
  }
}
