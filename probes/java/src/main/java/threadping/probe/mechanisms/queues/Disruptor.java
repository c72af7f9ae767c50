package threadping.probe.mechanisms.queues;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.LiteTimeoutBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.TimeUnit;
import threadping.probe.waits.Waits;

/**
 * The LMAX Disruptor: events that are made once and written in place, a cursor that says up to
 * which they are published, and of each consumer a sequence that says how far it has come. A
 * consumer takes all that is published as one batch, as its BatchEventProcessor does, and says so
 * once.
 *
 * <p>The write that must be seen is the message's, which the cursor's (with several producers, its
 * place's in a table) orders. The producer looks at the consumers' sequences only when it has come
 * round to where they were last; if the ring is full it parks for a nanosecond at a time.
 */
final class Disruptor extends Queue {
  private final RingBuffer<Message> buffer;
  private final boolean isLoaded;
  private final boolean hasOneProducer;

  /** The takers of consumers that are set up already. */
  private final BarrierTaker[] takers;

  /** With the sequencer for one producer, or with the one for several. */
  Disruptor(Shape shape, String wait, ProducerType producers) {
    super(Waits.pausing(), shape);
    this.buffer =
        RingBuffer.create(
            producers, () -> Message.with(shape.payload()), shape.size(), strategy(wait));
    this.isLoaded = shape.payload() > 0;
    this.hasOneProducer = producers == ProducerType.SINGLE;
    this.takers = new BarrierTaker[shape.consumers()];
  }

  /** Where a time has no default it is a millisecond. */
  private static WaitStrategy strategy(String name) {
    TimeUnit ms = TimeUnit.MILLISECONDS;
    return switch (name) {
      case "yielding" -> new YieldingWaitStrategy();
      case "sleeping" -> new SleepingWaitStrategy();
      case "blocking" -> new BlockingWaitStrategy();
      case "lite-blocking" -> new LiteBlockingWaitStrategy();
      case "timeout-blocking" -> new TimeoutBlockingWaitStrategy(1, ms);
      case "lite-timeout-blocking" -> new LiteTimeoutBlockingWaitStrategy(1, ms);
      case "phased-backoff" -> PhasedBackoffWaitStrategy.withLiteLock(1, 1, ms);
      default -> new BusySpinWaitStrategy();
    };
  }

  /** All that a producer knows is in the sequencer. */
  @Override
  public Queue.Sender sender(int producer) {
    return new Queue.Sender(this) {
      @Override
      public boolean trySend(long id, int count) {
        return publish(id, count);
      }
    };
  }

  private boolean publish(long id, int count) {
    long last = buffer.next(count);
    if (isStopped()) { // only now: a stop ends the wait for space
      giveBack(last - count);
      return false;
    }
    long first = last - count + 1;
    buffer.get(first).id = id;
    if (count > 1) {
      write(buffer, first + 1, last, Message.next(id));
    }
    if (isLoaded) {
      load(first, last);
    }
    buffer.publish(first, last);
    return true;
  }

  /**
   * Makes this its last claim again. One producer's next claim would publish what it claimed
   * before, in which nothing was written; several publish each place by itself.
   */
  private void giveBack(long last) {
    if (hasOneProducer) {
      buffer.claimAndGetPreallocated(last);
    }
  }

  /**
   * Writes ids from the first on. A loop of its own, in which nothing is called: otherwise the
   * virtual machine would read all that it needs of the ring again for each message.
   */
  private static void write(RingBuffer<Message> into, long first, long last, long firstId) {
    long id = firstId;
    for (long place = first; place <= last; place++) {
      into.get(place).id = id;
      id += Message.STEP;
    }
  }

  private void load(long first, long last) {
    for (long place = first; place <= last; place++) {
      buffer.get(place).load();
    }
  }

  /** All of its consumers see every message. */
  @Override
  public Queue.Taker taker(int consumer) {
    takers[consumer] = new BarrierTaker(this);
    return takers[consumer];
  }

  /** A producer that waits for space goes on, since no sequence gates it any more. */
  @Override
  protected void endWaits() {
    for (BarrierTaker each : takers) {
      if (each != null) {
        each.barrier.alert();
        buffer.removeGatingSequence(each.sequence);
      }
    }
  }

  /**
   * One consumer's part. It waits by a strategy of the library's; some of these give up at times.
   */
  private static final class BarrierTaker extends Queue.Taker implements Handler.Messages {
    private final RingBuffer<Message> buffer;
    private final SequenceBarrier barrier;
    private final Sequence sequence = new Sequence();
    private long next = RingBuffer.INITIAL_CURSOR_VALUE + 1;

    BarrierTaker(Disruptor disruptor) {
      super(disruptor);
      this.buffer = disruptor.buffer;
      this.barrier = buffer.newBarrier();
      buffer.addGatingSequences(sequence);
    }

    @Override
    protected long tryTake(long most, Handler handler) throws InterruptedException {
      long first = next;
      foundNone |= buffer.getCursor() < first;
      long end = Math.min(published(first) + 1, first + most);
      if (end > first) {
        handler.handle(this, 0, end - first);
        next = end;
        sequence.set(end - 1);
      }
      return Math.max(0, end - first);
    }

    private long published(long first) throws InterruptedException {
      try {
        return barrier.waitFor(first);
      } catch (TimeoutException | AlertException none) {
        return first - 1;
      }
    }

    @Override
    public long id(long place) {
      return buffer.get(next + place).id;
    }

    @Override
    public boolean isWhole(long place) {
      return buffer.get(next + place).isWhole(place);
    }
  }
}
