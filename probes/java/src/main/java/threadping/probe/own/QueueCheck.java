package threadping.probe.own;

import static threadping.probe.Failure.Code.SEQUENCE_BROKEN;
import static threadping.probe.Failure.Code.STALLED;

import java.util.BitSet;
import threadping.probe.Failure;
import threadping.probe.mechanisms.queues.Handler;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.waits.Waits;

/** Whether each message comes, once, whole and in its order; and whether every wait ends. */
final class QueueCheck implements Handler {
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  private static final int CAPACITY = 64;
  private static final int WORDS = 2;
  private static final int MANY = 20_000;
  private static final int ONE_BY_ONE = 200;
  private static final long PAUSE_NS = 100_000;

  private final Class<?> type;
  private final OwnMechanism own;
  private final long patienceNs;
  private final boolean carriesWords;

  private Queue queue;
  private Crew crew;
  private final BitSet came = new BitSet();
  private long due;
  private volatile long sent;
  private volatile long taken;
  private boolean isOver;

  QueueCheck(Class<?> type, OwnMechanism own, long patienceNs) {
    this.type = type;
    this.own = own;
    this.patienceNs = patienceNs;
    this.carriesWords = own.carriesWords();
  }

  String check() {
    long streamed = stream(MANY, 0);
    long alone = stream(ONE_BY_ONE, PAUSE_NS);
    endWaits();
    return String.format(
        "%s: %,d messages in a stream and %,d one by one came once, whole and in order; stop ends"
            + " its waits.",
        type.getName(), streamed, alone);
  }

  private void begin() {
    Shape shape = new Shape(MANY, carriesWords ? WORDS : 0, 0, 1, 1, 1);
    queue = own.makeQueue(CAPACITY, shape, Waits.yielding());
    crew = new Crew(type, patienceNs);
    came.clear();
    due = sent = taken = 0;
    isOver = false;
  }

  /** One after the other; with a pause so long after the one before was taken. */
  private long stream(int most, long pauseNs) {
    begin();
    crew.start(() -> send(most, pauseNs));
    crew.start(
        () -> {
          Queue.Taker taker = queue.taker(0);
          while (!isOver && taker.take(CAPACITY, this) > 0) {
            crew.move();
          }
        });
    if (!crew.end()) {
      throw stuck();
    }
    refuseMissing();
    return due;
  }

  private void send(int most, long pauseNs) throws InterruptedException {
    Queue.Sender sender = queue.sender(0);
    while (crew.isToGoOn(sent, most)) {
      sender.send(Message.id(0, sent), 1);
      sent++;
      crew.move();
      while (pauseNs > 0 && taken < sent) {
        Thread.yield();
      }
      if (pauseNs > 0) {
        Crew.sleep(pauseNs);
      }
    }
    sender.send(Message.end(0), 1);
  }

  @Override
  public void handle(Messages messages, long first, long end) {
    for (long at = first; at < end; at++) {
      long id = messages.id(at);
      long number = Message.number(id);
      isOver |= Message.isEnd(id);
      if (Message.isEnd(id)) {
        continue;
      }
      if (id != Message.id(0, number) || number > sent) {
        throw broken("Number %,d came out, which was never put in: it was torn", id);
      }
      if (carriesWords && !messages.isWhole(at)) {
        throw broken("Message %,d came with words that are not its own: it was torn", number);
      }
      if (came.get((int) number)) {
        throw broken("Message %,d came twice: it was doubled", number);
      }
      if (number < due) {
        throw broken("Message %,d came after %,d: it was overtaken", number, due - 1);
      }
      came.set((int) number);
      due = number + 1;
      taken++;
    }
  }

  private void refuseMissing() {
    long missing = came.nextClearBit(0);
    if (missing < sent) {
      throw broken("Message %,d of %,d never came: it was lost", missing, sent);
    }
  }

  private Failure stuck() {
    String producer = crew.standsIn(PRODUCER);
    String consumer = crew.standsIn(CONSUMER);
    if (consumer != null && taken < sent) {
      return STALLED.failure(
          "%s waits on, for %s so far, though message %,d was put in: a wake-up was lost, or it"
              + " hangs.",
          consumer, crew.patience(), taken);
    }
    if (producer != null || consumer != null) {
      String stands = producer == null ? consumer : producer;
      return STALLED.failure("%s had not returned after %s: it hangs.", stands, crew.patience());
    }
    refuseMissing();
    return STALLED.failure("%s: no message came for %s.", type.getName(), crew.patience());
  }

  private Failure broken(String what, Object... facts) {
    return SEQUENCE_BROKEN.failure(type.getName() + ": " + what + ".", facts);
  }

  /** Of a consumer that finds nothing, and of a producer that finds no room. */
  private void endWaits() {
    begin();
    crew.start(() -> queue.taker(0).take(CAPACITY, this));
    stopAfterAWhile("an empty");
    begin();
    int tooMany = CAPACITY * CAPACITY;
    crew.start(
        () -> {
          Queue.Sender sender = queue.sender(0);
          while (sent < tooMany && sender.send(Message.id(0, sent), 1)) {
            sent++;
          }
        });
    stopAfterAWhile("a full");
    if (sent == tooMany && own.hasCapacity()) {
      throw broken(
          "%,d messages found room in one with a capacity of %d. One without a bound has a"
              + " constructor without parameters",
          sent, CAPACITY);
    }
  }

  private void stopAfterAWhile(String which) {
    Crew.sleep(10 * PAUSE_NS);
    if (!crew.endBy(queue::stop)) {
      throw STALLED.failure(
          "stop() does not end a wait at %s queue: %s had not returned after %s.",
          which, crew.standsIn(0), crew.patience());
    }
  }
}
