package threadping.probe.ring;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Recorder;
import threadping.probe.crew.Timings;
import threadping.probe.message.Result;
import threadping.probe.platform.Fillers;
import threadping.probe.waits.Wait;

/**
 * Producers send as fast as they can, and consumers take as fast as they can; what is timed is how
 * long a message was on its way. Who writes what:
 *
 * <pre>
 *   producer: the message, its place ------ the queue -----&gt; consumer
 *             (in-flight)  &lt;--- what was taken of each producer ---'
 * </pre>
 *
 * <p>Thread 0 is a producer and thread 1 a consumer; all others are what there are several of.
 */
public final class RingLoops implements Loops {
  private static final int PRODUCER = 0;
  private static final int CONSUMER = 1;

  private final Shape shape;

  /** Keeps apart what different threads write; nobody else holds it. */
  private final Fillers fillers = new Fillers();

  /** On each line, by their number. */
  private final MessageQueue[] queues;

  private final Producer[][] producers;
  private final Consumer[][] consumers;

  /** Of each consumer on each line, of each producer: what is due of it, as others may see it. */
  private final AtomicLong[][][] taken;

  /** How many messages came at once, of each consumer. */
  private final Recorder[] takes;

  private boolean hasBegun;

  /** Of queues that are made so, a producer of which waits so for what is in flight. */
  public RingLoops(Supplier<MessageQueue> queue, int lines, Shape shape, Wait wait) {
    this.shape = shape;
    this.queues = new MessageQueue[lines];
    this.producers = new Producer[lines][shape.producers];
    this.consumers = new Consumer[lines][shape.consumers];
    this.taken = new AtomicLong[lines][shape.consumers][shape.producers];
    this.takes = new Recorder[shape.consumers];
    Arrays.setAll(takes, each -> fillers.apart(Recorder::new));
    for (int line = 0; line < lines; line++) {
      make(line, fillers.apart(queue), wait);
    }
  }

  private void make(int line, MessageQueue queue, Wait wait) {
    AtomicLong[][] ofConsumers = taken[line];
    queues[line] = queue;
    for (AtomicLong[] ofProducers : ofConsumers) {
      Arrays.setAll(ofProducers, each -> apart(Message.first(each)));
    }
    Arrays.setAll(
        producers[line],
        each -> {
          AtomicLong sent = apart(Message.first(each));
          AtomicLong[] own =
              Arrays.stream(ofConsumers).map(of -> of[each]).toArray(AtomicLong[]::new);
          return fillers.apart(() -> new Producer(queue, each, shape, own, sent, wait));
        });
    Arrays.setAll(
        consumers[line],
        each ->
            fillers.apart(() -> new Consumer(queue, each, shape, ofConsumers[each], takes[each])));
  }

  private AtomicLong apart(long value) {
    return fillers.apart(() -> new AtomicLong(value));
  }

  @Override
  public int role(int thread) {
    if (thread > CONSUMER) {
      return shape.consumers > 1 ? CONSUMER : PRODUCER;
    }
    return thread;
  }

  private boolean isProducer(int thread) {
    return role(thread) == PRODUCER;
  }

  /** The first two threads are the first of their kind. */
  private Producer producer(int thread, int line) {
    return producers[line][thread == PRODUCER ? 0 : thread - 1];
  }

  private Consumer consumer(int thread, int line) {
    return consumers[line][thread - 1];
  }

  @Override
  public int plain(int thread, int line, int count) {
    return isProducer(thread)
        ? producer(thread, line).send(count)
        : consumer(thread, line).take(count);
  }

  /** A producer stamps, and the consumers time. */
  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    return isProducer(thread)
        ? producer(thread, line).sendStamped()
        : consumer(thread, line).take(timings, count);
  }

  @Override
  public boolean timesAll(int thread) {
    return !isProducer(thread);
  }

  @Override
  public void leave(int thread, int line) {
    if (isProducer(thread)) {
      producer(thread, line).leave();
    } else {
      consumer(thread, line).leave();
    }
  }

  /** A consumer only follows. */
  @Override
  public boolean counted(int thread) {
    return isProducer(thread);
  }

  @Override
  public void begin() {
    hasBegun = true;
    for (Recorder each : takes) {
      each.clear();
    }
  }

  @Override
  public Map<String, Result.Distribution> distributions() {
    Recorder all = new Recorder();
    for (int each = 0; hasBegun && each < takes.length; each++) {
      all.add(takes[each]);
    }
    return Map.of("batch", all.distribution());
  }

  @Override
  public void stop(int line) {
    queues[line].stop();
  }

  @Override
  public long progress(int line) {
    long sent = Arrays.stream(producers[line]).mapToLong(Producer::sent).sum();
    LongStream due =
        Arrays.stream(taken[line]).flatMap(Arrays::stream).mapToLong(AtomicLong::getAcquire);
    return sent + due.map(Message::number).sum();
  }

  @Override
  public Map<String, Result.Held> counts(long made) {
    if (Arrays.stream(queues).anyMatch(MessageQueue::isStopped)) {
      return Map.of();
    }
    long least = IntStream.range(0, shape.consumers).mapToLong(this::taken).min().getAsLong();
    return Map.of("messages", new Result.Held(made, least, true));
  }

  private long taken(int consumer) {
    return Arrays.stream(consumers).mapToLong(line -> line[consumer].taken()).sum();
  }
}
