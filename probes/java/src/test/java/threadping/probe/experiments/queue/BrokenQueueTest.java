package threadping.probe.experiments.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.MS;
import static threadping.probe.engine.Cast.end;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
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
import threadping.probe.mechanisms.queues.OneByOne;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.waits.Waits;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenQueueTest {
  private static final int AT = 100;
  private static final int PAYLOAD = 2;
  private static final Param SIZE = Param.number("size", 64, 2, 64);

  /** A library's queue, until something is changed. */
  private static class Sound extends OneByOne {
    /** How many were put in so far. */
    int sent;

    /** How many were taken out. */
    int taken;

    Sound(Shape shape) {
      super(new ArrayBlockingQueue<>(64), shape, Waits.yielding());
    }

    @Override
    protected boolean push(Message message) throws InterruptedException {
      return put(message);
    }

    final boolean put(Message message) throws InterruptedException {
      while (!super.push(message)) {
        if (isStopped()) {
          return false;
        }
        Thread.yield();
      }
      return true;
    }

    @Override
    protected Message pop() throws InterruptedException {
      Message message = super.pop();
      taken += message == null ? 0 : 1;
      return message;
    }
  }

  private static Experiment of(Function<Shape, Queue> queue) {
    Queues.Traits traits =
        new Queues.Traits(
            "made-up", true, true, true, List.of(SIZE), (shape, params) -> queue.apply(shape));
    return QueueExperiment.EXPERIMENT.with(QueueExperiment.mechanism(traits));
  }

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.bounded(QueueExperiment.EXPERIMENT);
    request.params = Map.of("message-bytes", 16 + 8L * PAYLOAD);
    return request;
  }

  private static String refusal(Failure.Code code, Function<Shape, Queue> queue) {
    TrialRequest request = request();
    return assertFails(code, request, () -> Experiments.run(request, of(queue)));
  }

  private static void assertBroken(Function<Shape, Queue> queue) {
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
    boolean send(Sound sound, Message message) throws InterruptedException;
  }

  private static Function<Shape, Queue> sending(Fault fault) {
    return shape ->
        new Sound(shape) {
          @Override
          protected boolean push(Message message) throws InterruptedException {
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
          message.id = Message.id(4000, 5);
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
    assertTrue(
        sentence.contains(" came with a payload that is not its own: it was torn"), sentence);
  }

  /** Takes this in place of what comes from some time on. */
  private static Experiment taking(Supplier<Message> fault) {
    return of(
        shape ->
            new Sound(shape) {
              @Override
              protected Message pop() throws InterruptedException {
                return taken >= AT ? fault.get() : super.pop();
              }
            });
  }

  @Test
  void aConsumerThatHangsStalls() {
    TrialRequest request = request();
    assertEquals(
        QueueExperiment.EXPERIMENT.stalled(),
        assertFails(
            Failure.Code.STALLED, request, () -> Experiments.run(request, taking(() -> null))));
  }

  /** What comes after it would tell, but nothing does. */
  @Test
  void aLastMessageThatIsLostIsNotCounted() throws Exception {
    Function<Shape, Queue> losing =
        shape ->
            new Sound(shape) {
              @Override
              protected boolean push(Message message) throws InterruptedException {
                return sent++ == 4 || put(message);
              }
            };
    Mechanism mechanism = of(losing).mechanisms().get(0);
    Params params = Params.of(mechanism, Map.of("message-bytes", 16 + 8L * PAYLOAD));
    Stage stage = mechanism.maker().stage(new Mechanism.Setup(params, 1, 2, 7, true));
    Cast cast = new Cast(stage, false).of(2);
    assertEquals(5, end(cast.runAndLeave(0, 0, 5)));
    assertEquals(4, end(cast.runAndLeave(1, 0, 5)));
    assertEquals(new Held(5, 4, true), stage.counts(new long[] {5, 4}).get("messages"));
  }
}
