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

  QueueCheck(OwnMechanism own, long patienceNs) {
    this.type = own.type();
    this.own = own;
    this.patienceNs = patienceNs;
    this.carriesWords = own.carriesWords();
  }

  String check() {
    long streamed = stream(Crew.MANY, 0);
    long alone = stream(Crew.ONE_BY_ONE, Crew.PAUSE_NS);
    endWaits();
    return String.format(
        "%s: %,d messages in a stream and %,d one by one came once, whole and in order; stop ends"
            + " its waits.",
        type.getName(), streamed, alone);
  }

  private void begin() {
    Shape shape = new Shape(Crew.MANY, carriesWords ? WORDS : 0, 0, 1, 1, 1);
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

  private void send(int most, long pauseNs) throws Exception {
    Queue.Sender sender = queue.sender(0);
    crew.repeat(
        most,
        pauseNs,
        () -> {
          sender.send(Message.id(0, sent), 1);
          sent++;
        },
        () -> taken);
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
      return crew.hangs(producer == null ? consumer : producer, "it hangs");
    }
    refuseMissing();
    return STALLED.failure("%s: no message came for %s.", type.getName(), crew.patience());
  }

  private Failure broken(String what, Object... facts) {
    return SEQUENCE_BROKEN.failure(type.getName() + ": " + what + ".", facts);
  }

  /** Ends the waits of a consumer that finds nothing, and of a producer that finds it full. */
  private void endWaits() {
    begin();
    crew.start(() -> queue.taker(0).take(CAPACITY, this));
    crew.endWait(" at an empty queue", queue::stop);
    begin();
    int tooMany = 2 * CAPACITY - 1; // a trial's producer writes no more while these are under way
    crew.start(
        () -> {
          Queue.Sender sender = queue.sender(0);
          while (sent < tooMany && sender.send(Message.id(0, sent), 1)) {
            sent++;
          }
        });
    crew.endWait(" at a full queue", queue::stop);
    if (sent == tooMany && own.hasCapacity()) {
      throw broken(
          "%,d messages fitted into one with a capacity of %d. One without a bound has a"
              + " constructor without parameters",
          sent, CAPACITY);
    }
  }
}
