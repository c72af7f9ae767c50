package threadping.probe.experiments.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.MS;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.engine.Cast;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
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
  private static final int AT = 100;
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
        public long id(long place) {
          return last.id;
        }

        @Override
        public boolean isWhole(long place) {
          return last.isWhole();
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

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.bounded(Ring.EXPERIMENT);
    request.params = Map.of("payload", (long) PAYLOAD);
    return request;
  }

  private static String refusal(Failure.Code code, Supplier<Queue> queue) {
    TrialRequest request = request();
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
    TrialRequest request = request();
    request.boundNs = 30_000 * MS;
    TrialResult result = Experiments.run(request, of(Sound::new));
    assertFalse(result.cut());
    TrialResult.Held messages = result.counts().get("messages");
    assertEquals(messages.made(), messages.found());
  }

  /** What a faulty one does in place of sending this message. */
  private interface Fault {
    boolean send(Sound sound, Message message);
  }

  private static Supplier<Queue> sending(Fault fault) {
    return () ->
        new Sound() {
          @Override
          boolean send(Message message) {
            return ++sent == AT ? fault.send(this, message) : put(message);
          }
        };
  }

  @Test
  void aMessageThatIsDroppedBreaksTheSequence() {
    assertBroken(sending((sound, message) -> true));
  }

  @Test
  void aMessageThatIsDoubledBreaksTheSequence() {
    assertBroken(sending((sound, message) -> sound.put(message) && sound.put(message)));
  }

  /** The next one first. */
  @Test
  void twoThatAreSwappedBreakTheSequence() {
    assertBroken(
        sending(
            (sound, message) -> {
              Message next = Message.with(PAYLOAD);
              next.id = message.id + Message.STEP;
              next.load();
              return sound.put(next) && sound.put(message);
            }));
  }

  @Test
  void aMessageOfNobodyBreaksTheSequence() {
    Fault fault =
        (sound, message) -> {
          message.id = Message.first(4000) + 5 * Message.STEP;
          message.load();
          return sound.put(message);
        };
    String sentence = refusal(Failure.Code.SEQUENCE_BROKEN, sending(fault));
    assertTrue(sentence.contains("of producer 0 was due, but 5 of producer 4000 came:"), sentence);
  }

  @Test
  void aTornPayloadBreaksTheSequence() {
    Fault fault =
        (sound, message) -> {
          long id = message.id;
          message.id = id - Message.STEP;
          message.load();
          message.id = id;
          return sound.put(message);
        };
    String sentence = refusal(Failure.Code.SEQUENCE_BROKEN, sending(fault));
    assertTrue(sentence.contains(" came with words of another: it was torn"), sentence);
  }

  /** Takes this in place of what comes from some time on. */
  private static Experiment taking(Supplier<Message> fault) {
    return of(
        () ->
            new Sound() {
              @Override
              Message next() {
                return taken >= AT ? fault.get() : super.next();
              }
            });
  }

  @Test
  void aConsumerThatHangsStalls() {
    TrialRequest request = request();
    assertEquals(
        Ring.EXPERIMENT.stalled(),
        assertFails(
            Failure.Code.STALLED, request, () -> Experiments.run(request, taking(() -> null))));
  }

  /** What comes after it would tell, but nothing does. */
  @Test
  void aLastMessageThatIsLostIsNotCounted() throws Exception {
    Queue losing =
        new Sound() {
          @Override
          boolean send(Message message) {
            return sent++ == 4 || put(message);
          }
        };
    Mechanism mechanism = of(() -> losing).mechanisms().get(0);
    Params params = Params.of(mechanism, Map.of("payload", (long) PAYLOAD));
    Stage stage = mechanism.maker().stage(new Mechanism.Setup(params, 1, 2, 7));
    Cast cast = new Cast(stage, false).of(2);
    assertEquals(5, end(cast.runAndLeave(0, 0, 5)));
    assertEquals(4, end(cast.runAndLeave(1, 0, 5)));
    assertEquals(new Held(5, 4, true), stage.counts(new long[] {5, 4}).get("messages"));
  }
}
