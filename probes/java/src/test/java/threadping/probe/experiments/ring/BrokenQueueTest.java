package threadping.probe.experiments.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.MS;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Sender;
import threadping.probe.mechanisms.queues.Taker;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenQueueTest {
  private static final int AT = 500;
  private static final int PAYLOAD = 2;
  private static final Param SIZE = Param.number("size", 64, 2, 64);

  /** A queue of copies, until something is changed. */
  private static class Sound extends Queue {
    private final ArrayBlockingQueue<Message> queue = new ArrayBlockingQueue<>(64);

    /** How many were put in so far. */
    int sent;

    /** How many were taken out. */
    int taken;

    private Message last;

    @Override
    public Sender sender(int producer) {
      return (id, count) -> {
        Message message = Message.with(PAYLOAD);
        message.id = id;
        message.load();
        return send(message);
      };
    }

    boolean send(Message message) {
      sent++;
      return put(message);
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

    @Override
    public Taker taker(int consumer) {
      return new Taker() {
        @Override
        public long await(long place) {
          while (more(place) < place && !isStopped()) {
            Thread.yield();
          }
          return last == null ? place - 1 : place;
        }

        @Override
        public long more(long place) {
          last = next();
          return last == null ? place - 1 : place;
        }

        @Override
        public Message at(long place) {
          return last;
        }

        @Override
        public void release(long place) {}

        @Override
        public boolean isEmpty(long place) {
          return last == null;
        }
      };
    }

    Message next() {
      Message message = queue.poll();
      taken += message == null ? 0 : 1;
      return message;
    }
  }

  private static Experiment of(Supplier<Queue> queue) {
    Queues.Entry entry =
        new Queues.Entry(
            "made-up", true, true, true, List.of(SIZE), (shape, params) -> queue.get());
    return Experiments.with(Ring.EXPERIMENT, Ring.mechanism(entry));
  }

  private static Request request() {
    Request request = Requests.bounded(Ring.EXPERIMENT);
    request.params = Map.of("payload", (long) PAYLOAD);
    return request;
  }

  private static String refusal(Failure.Code code, Supplier<Queue> queue) {
    Request request = request();
    return assertFails(code, request, () -> Experiments.run(request, of(queue)));
  }

  private static void assertBroken(Supplier<Queue> queue) {
    String sentence = refusal(Failure.Code.SEQUENCE_BROKEN, queue);
    assertTrue(
        sentence.matches(
            "Message [\\d,]+ of producer 0 was due, but [\\d,]+ came: one was lost, doubled or"
                + " overtaken\\."),
        sentence);
  }

  @Test
  void soundOnePasses() {
    Request request = request();
    request.boundNs = 30_000 * MS;
    Result result = Experiments.run(request, of(Sound::new));
    assertFalse(result.cut);
    Result.Held messages = result.counts.get("messages");
    assertEquals(messages.made(), messages.found());
  }

  @Test
  void aMessageThatIsDroppedBreaksTheSequence() {
    assertBroken(
        () ->
            new Sound() {
              @Override
              boolean send(Message message) {
                if (sent == AT) {
                  sent++;
                  return true;
                }
                return super.send(message);
              }
            });
  }

  @Test
  void aMessageThatIsDoubledBreaksTheSequence() {
    assertBroken(
        () ->
            new Sound() {
              @Override
              boolean send(Message message) {
                return super.send(message) && (sent != AT || super.send(message));
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
              boolean send(Message message) {
                if (sent == AT) { // the next one first
                  early = message;
                  sent++;
                  return true;
                }
                return super.send(message) && (sent != AT + 2 || put(early));
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
        Ring.EXPERIMENT.stalled(),
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
    Experiment dying =
        of(
            () ->
                new Sound() {
                  @Override
                  Message next() {
                    if (taken >= AT) {
                      throw bug;
                    }
                    return super.next();
                  }
                });
    Throwable error =
        assertThrows(IllegalStateException.class, () -> Experiments.run(request(), dying));
    assertSame(bug, error.getCause());
  }

  /** What comes after it would tell, but nothing does. */
  @Test
  void aLastMessageThatIsLostIsNotCounted() throws Exception {
    Queue losing =
        new Sound() {
          @Override
          boolean send(Message message) {
            if (sent == 4) {
              sent++;
              return true;
            }
            return super.send(message);
          }
        };
    Mechanism mechanism = of(() -> losing).mechanisms().get(0);
    Params params = Params.of(mechanism, Map.of("payload", (long) PAYLOAD));
    Stage stage = mechanism.maker().stage(new Mechanism.Setup(params, 1, 2, 7));
    Cast cast = new Cast(stage, false).of(2);
    assertEquals(5, end(cast.runAndLeave(0, 0, 5)));
    assertEquals(4, end(cast.runAndLeave(1, 0, 5)));
    Result.Held messages = stage.counts(new long[] {5, 4}).get("messages");
    assertEquals(new Result.Held(5, 4, true), messages);
  }
}
