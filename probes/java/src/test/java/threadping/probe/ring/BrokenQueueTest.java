package threadping.probe.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.MS;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.waits.Waits;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenQueueTest {
  private static final int AT = 500;
  private static final int PAYLOAD = 2;

  /** A queue of copies, until something is changed. */
  private static class Sound extends MessageQueue implements Inlet {
    private final ArrayBlockingQueue<Message> queue = new ArrayBlockingQueue<>(64);
    private long claimed;
    private Message written;
    private long writtenAt;

    /** How many were put in so far. */
    int sent;

    /** How many were taken out. */
    int taken;

    @Override
    public Inlet inlet(int producer) {
      return this;
    }

    @Override
    public Outlet outlet(int consumer) {
      return new OneByOne() {
        @Override
        protected Message take() {
          return awaited();
        }

        @Override
        protected Message poll() {
          return next();
        }
      };
    }

    @Override
    public long claim(int count) {
      claimed += count;
      return claimed;
    }

    @Override
    public Message message(long place) {
      if (place != writtenAt) {
        written = Message.with(PAYLOAD);
        writtenAt = place;
      }
      return written;
    }

    @Override
    public boolean publish(long first, long last) {
      sent++;
      return put(written);
    }

    final boolean put(Message message) {
      while (!queue.offer(message)) {
        if (isStopped()) {
          return false;
        }
        Thread.yield();
      }
      return true;
    }

    Message awaited() {
      Message message;
      while ((message = next()) == null) {
        if (isStopped()) {
          return null;
        }
        Thread.yield();
      }
      return message;
    }

    Message next() {
      Message message = queue.poll();
      taken += message == null ? 0 : 1;
      return message;
    }
  }

  private static Result run(Supplier<MessageQueue> queue, long boundNs) {
    Request request = Requests.brief(Ring.EXPERIMENT, null, null);
    request.lines = 1;
    request.boundNs = boundNs;
    request.patienceNs = 100 * MS;
    request.outliers = null;
    return Experiments.run(
        request, Ring.EXPERIMENT, new RingLoops(queue, 1, shape(), Waits.yielding()));
  }

  private static Shape shape() {
    Shape shape = new Shape();
    shape.size = 64;
    shape.payload = PAYLOAD;
    return shape;
  }

  /** The sentence. One that reached its bound before it came to the fault gets more time. */
  private static String refusal(Failure.Code code, Supplier<MessageQueue> queue) {
    return assertFails(
        code,
        () -> {
          for (long ms = 400; ms < 20_000; ms *= 4) {
            run(queue, ms * MS);
          }
        });
  }

  private static void assertBroken(Supplier<MessageQueue> queue) {
    String sentence = refusal(Failure.Code.SEQUENCE_BROKEN, queue);
    assertTrue(
        sentence.matches(
            "Message [\\d,]+ of producer 0 was due, but [\\d,]+ came: one was lost, doubled or"
                + " overtaken\\."),
        sentence);
  }

  @Test
  void soundOnePasses() {
    Result result = run(Sound::new, 30_000 * MS);
    assertFalse(result.cut);
    Result.Held messages = result.counts.get("messages");
    assertEquals(messages.made, messages.found);
  }

  @Test
  void aMessageThatIsDroppedBreaksTheSequence() {
    assertBroken(
        () ->
            new Sound() {
              @Override
              public boolean publish(long first, long last) {
                if (sent == AT) {
                  sent++;
                  return true;
                }
                return super.publish(first, last);
              }
            });
  }

  @Test
  void aMessageThatIsDoubledBreaksTheSequence() {
    assertBroken(
        () ->
            new Sound() {
              @Override
              public boolean publish(long first, long last) {
                return super.publish(first, last) && (sent != AT || super.publish(first, last));
              }
            });
  }

  @Test
  void twoThatAreSwappedBreakTheSequence() {
    assertBroken(
        () ->
            new Sound() {
              private Message early;

              @Override
              public Message message(long place) {
                Message message = super.message(place);
                early = sent == AT ? message : early;
                return message;
              }

              @Override
              public boolean publish(long first, long last) {
                if (sent == AT) { // the next one first
                  sent++;
                  return true;
                }
                return super.publish(first, last) && (sent != AT + 2 || put(early));
              }
            });
  }

  @Test
  void aMessageOfNobodyBreaksTheSequence() {
    String sentence =
        refusal(
            Failure.Code.SEQUENCE_BROKEN,
            () ->
                new Sound() {
                  @Override
                  Message next() {
                    Message message = super.next();
                    if (taken == AT && message != null) {
                      message.id = Message.first(4000) + 5 * Message.STEP;
                      message.load();
                    }
                    return message;
                  }
                });
    assertTrue(sentence.contains("of producer 0 was due, but 5 of producer 4000 came:"), sentence);
  }

  @Test
  void aTornPayloadBreaksTheSequence() {
    String sentence =
        refusal(
            Failure.Code.SEQUENCE_BROKEN,
            () ->
                new Sound() {
                  @Override
                  Message next() {
                    Message message = super.next();
                    if (taken == AT && message != null) {
                      long id = message.id;
                      message.id = id - Message.STEP;
                      message.load();
                      message.id = id;
                    }
                    return message;
                  }
                });
    assertTrue(sentence.contains(" came with words of another: it was torn"), sentence);
  }

  @Test
  void aConsumerThatHangsStalls() {
    assertEquals(
        Ring.EXPERIMENT.stalled,
        refusal(
            Failure.Code.STALLED,
            () ->
                new Sound() {
                  @Override
                  Message next() {
                    return taken >= AT ? null : super.next();
                  }
                }));
  }

  @Test
  void aConsumerThatDiesEndsTheTrial() {
    RuntimeException bug = new IllegalStateException("on purpose");
    Throwable error =
        assertThrows(
            IllegalStateException.class,
            () ->
                run(
                    () ->
                        new Sound() {
                          @Override
                          Message next() {
                            if (taken >= AT) {
                              throw bug;
                            }
                            return super.next();
                          }
                        },
                    30_000 * MS));
    assertSame(bug, error.getCause());
  }

  /** What comes after it would tell, but nothing does. */
  @Test
  void aLastMessageThatIsLostIsNotCounted() {
    MessageQueue losing =
        new Sound() {
          @Override
          public boolean publish(long first, long last) {
            if (sent == 4) {
              sent++;
              return true;
            }
            return super.publish(first, last);
          }
        };
    RingLoops loops = new RingLoops(() -> losing, 1, shape(), Waits.yielding());
    assertEquals(5, loops.plain(0, 0, 5));
    loops.leave(0, 0);
    assertEquals(4, loops.plain(1, 0, 5));
    Result.Held messages = loops.counts(5).get("messages");
    assertEquals(4, messages.found);
    assertTrue(messages.exact);
  }
}
