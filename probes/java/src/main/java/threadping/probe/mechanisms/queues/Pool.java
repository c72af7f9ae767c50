package threadping.probe.mechanisms.queues;

import java.util.Arrays;

/**
 * A producer's messages for a queue that carries references: used again and again, so that nothing
 * is allocated while it is measured. There are more than can be under way: when the first is
 * written again, the one after it has been taken, and the consumer that took that one was done with
 * the first.
 */
abstract class Pool implements Sender {
  private final Message[] messages;
  private final int mask;
  private final boolean isLoaded;
  private int next;

  Pool(Shape shape) {
    messages = new Message[shape.pooled()];
    mask = messages.length - 1;
    isLoaded = shape.payload() > 0;
    Arrays.setAll(messages, each -> Message.with(shape.payload()));
  }

  /** Waits until there is room for it; false if it was stopped. */
  abstract boolean put(Message message) throws InterruptedException;

  /** One at a time: these queues take no batch. */
  @Override
  public final boolean send(long id, int count) throws InterruptedException {
    Message message = messages[next++ & mask];
    message.id = id;
    if (isLoaded) {
      message.load();
    }
    return put(message);
  }
}
