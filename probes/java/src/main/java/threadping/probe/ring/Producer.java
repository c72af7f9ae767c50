package threadping.probe.ring;

import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.waits.Wait;

/** A producer on one line. Made with room around it: it alone writes here. */
final class Producer {
  private final MessageQueue queue;
  private final Inlet inlet;
  private final int number;
  private final int batch;
  private final boolean isLoaded;

  /** How far beyond what was taken an id may be, and what the consumers say of that. */
  private final long inFlight;

  private final AtomicLong[] taken;
  private final Wait wait;

  /** The id of its next message; and for others to see, a loop behind at most. */
  private long next;

  private final AtomicLong sent;

  /** Ids below it may be sent, as far as it knows: what was taken is a miss away. */
  private long limit;

  /** One of a shape's producers; of each consumer the id due of this one, and how to wait. */
  Producer(
      MessageQueue queue, int number, Shape shape, AtomicLong[] taken, AtomicLong sent, Wait wait) {
    this.queue = queue;
    this.inlet = queue.inlet(number);
    this.number = number;
    this.batch = shape.batch;
    this.isLoaded = shape.payload > 0;
    this.inFlight = Message.STEP * shape.inFlight;
    this.taken = taken;
    this.wait = wait;
    this.next = Message.first(number);
    this.sent = sent;
    this.limit = shape.inFlight == 0 ? Long.MAX_VALUE : next;
  }

  /** Sends batches until there are at least so many messages, unless stopped; returns them. */
  int send(int count) {
    int done = 0;
    while (done < count && sendBatch(false)) {
      done += batch;
    }
    sent.setRelease(next);
    return done;
  }

  /** Sends a batch whose first message is stamped; returns its messages, 0 if stopped. */
  int sendStamped() {
    int done = sendBatch(true) ? batch : 0;
    sent.setRelease(next);
    return done;
  }

  private boolean sendBatch(boolean isStamped) {
    Inlet into = inlet;
    int count = batch;
    long id = next;
    long after = id + Message.STEP * count;
    if (after > limit && !awaitRoom(after)) {
      return false;
    }
    long last = into.claim(count);
    if (queue.isStopped()) { // only now: a stop ends the claim
      return false;
    }
    long first = last - count + 1;
    if (isStamped) {
      Message message = into.message(first);
      message.stamp(System.nanoTime());
      message.id = id | Message.STAMPED;
      write(into, first + 1, last, id + Message.STEP);
    } else {
      write(into, first, last, id);
    }
    if (isLoaded) {
      load(into, first, last);
    }
    next = after;
    return into.publish(first, last);
  }

  /**
   * Writes ids from the first on. A loop of its own, in which nothing is called: otherwise the
   * virtual machine would read all that it needs of the ring again for each message.
   */
  private static void write(Inlet into, long first, long last, long firstId) {
    long id = firstId;
    for (long place = first; place <= last; place++) {
      into.message(place).id = id;
      id += Message.STEP;
    }
  }

  private static void load(Inlet into, long first, long last) {
    for (long place = first; place <= last; place++) {
      into.message(place).load();
    }
  }

  /** Until every consumer has taken so many that ids up to this one may be sent. */
  private boolean awaitRoom(long after) {
    long state = wait.start();
    while (after > (limit = leastTaken() + inFlight)) {
      if (queue.isStopped()) {
        return false;
      }
      state = wait.again(state);
    }
    return true;
  }

  private long leastTaken() {
    long least = Long.MAX_VALUE;
    for (AtomicLong each : taken) {
      least = Math.min(least, each.getAcquire());
    }
    return least;
  }

  /** Tells the consumers by the queue itself, so that one that sleeps wakes. */
  void leave() {
    long place = inlet.claim(1);
    if (!queue.isStopped()) {
      write(inlet, place, place, Message.end(number));
      if (isLoaded) {
        load(inlet, place, place);
      }
      inlet.publish(place, place);
    }
  }

  /** For any thread at any time. */
  long sent() {
    return Message.number(sent.getAcquire());
  }
}
