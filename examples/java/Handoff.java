import java.util.concurrent.LinkedTransferQueue;

/** A LinkedTransferQueue whose producer waits until a consumer has taken its message. */
public final class Handoff<T> extends LinkedTransferQueue<T> {
  public void put(T message) {
    try {
      transfer(message);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
