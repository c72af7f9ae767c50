package threadping.probe.ring.mechanisms;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import threadping.probe.ring.Inlet;
import threadping.probe.ring.Message;
import threadping.probe.ring.MessageQueue;
import threadping.probe.ring.Outlet;
import threadping.probe.ring.Shape;

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
final class Disruptor extends MessageQueue implements Inlet {
  private final RingBuffer<Message> buffer;
  private final Taker[] takers;

  /** With the sequencer for one producer. */
  static MessageQueue single(Shape shape, String wait) {
    return new Disruptor(
        RingBuffer.createSingleProducer(
            () -> Message.with(shape.payload), shape.size, WaitStrategies.of(wait)),
        shape.consumers);
  }

  /** With the one for several. */
  static MessageQueue multi(Shape shape, String wait) {
    return new Disruptor(
        RingBuffer.createMultiProducer(
            () -> Message.with(shape.payload), shape.size, WaitStrategies.of(wait)),
        shape.consumers);
  }

  /** All of these consumers see every message. */
  private Disruptor(RingBuffer<Message> buffer, int consumers) {
    this.buffer = buffer;
    this.takers = new Taker[consumers];
  }

  /** It keeps nothing of its own: all that a producer knows is in the sequencer. */
  @Override
  public Inlet inlet(int producer) {
    return this;
  }

  @Override
  public Outlet outlet(int consumer) {
    takers[consumer] = new Taker(buffer);
    return takers[consumer];
  }

  @Override
  public long claim(int count) {
    return buffer.next(count);
  }

  @Override
  public Message message(long place) {
    return buffer.get(place);
  }

  @Override
  public boolean publish(long first, long last) {
    buffer.publish(first, last);
    return true;
  }

  /** A producer that waits for room goes on, since nobody is before it any more. */
  @Override
  protected void endWaits() {
    for (Taker taker : takers) {
      taker.barrier.alert();
      buffer.removeGatingSequence(taker.taken);
    }
  }

  /** One consumer's part. */
  private static final class Taker implements Outlet {
    final SequenceBarrier barrier;
    final Sequence taken = new Sequence();
    private final RingBuffer<Message> buffer;

    /** The last that is published, as far as it knows. */
    private long published = RingBuffer.INITIAL_CURSOR_VALUE;

    Taker(RingBuffer<Message> buffer) {
      this.buffer = buffer;
      this.barrier = buffer.newBarrier();
      buffer.addGatingSequences(taken);
    }

    @Override
    public long await(long place) {
      try {
        while (published < place) {
          published = awaitPublished(place);
        }
        return published;
      } catch (AlertException stop) {
        return place - 1;
      }
    }

    /** Sometimes less: when a wait strategy's time is over, or one producer waits for another. */
    private long awaitPublished(long place) throws AlertException {
      try {
        return barrier.waitFor(place);
      } catch (TimeoutException notYet) {
        return published;
      } catch (InterruptedException impossible) {
        throw new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
      }
    }

    /** It took all that was published. */
    @Override
    public long more(long place) {
      return published;
    }

    @Override
    public Message at(long place) {
      return buffer.get(place);
    }

    @Override
    public void release(long place) {
      taken.set(place - 1);
    }
  }
}
