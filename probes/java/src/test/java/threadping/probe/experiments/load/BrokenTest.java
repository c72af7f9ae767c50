package threadping.probe.experiments.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;
import static threadping.probe.TrialRequest.MS;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.Signal;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.TrialRequest;
import threadping.probe.TrialResult;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.OneByOne;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Waits;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenTest {
  private static final long AT = 500;

  /** A word that the awaiter polls, until something is changed. */
  private static class Sound implements Signal {
    private final long word = new Lines(1).first(0);

    @Override
    public void publish(long n) {
      Words.setVolatile(word, n);
    }

    @Override
    public long await(long n) {
      while (published() < n) {
        Thread.yield();
      }
      return published();
    }

    @Override
    public void stop() {
      Words.setVolatile(word, STOPPED);
    }

    @Override
    public long published() {
      return Words.getVolatile(word);
    }
  }

  /** Each number is a message of its own there, which a test may change. */
  private static class OneByOneMessage extends OneByOne {
    OneByOneMessage(Shape shape) {
      super(new ArrayBlockingQueue<>(shape.size()), shape, Waits.yielding());
    }

    /** The number of the message that comes there. */
    long number(long number) {
      return number;
    }

    @Override
    protected boolean push(Message message) throws InterruptedException {
      message.id = Message.id(0, number(Message.number(message.id)));
      return super.push(message);
    }
  }

  private static TrialRequest request() {
    TrialRequest request = TrialRequest.bounded(LoadExperiment.EXPERIMENT);
    request.params = Map.of("rate", 100_000L);
    return request;
  }

  private static TrialResult run(TrialRequest request, Function<Shape, Queue> queue) {
    Queues.Traits traits =
        new Queues.Traits(
            "made-up",
            true,
            true,
            true,
            List.of(Shape.SIZE),
            (shape, params) -> queue.apply(shape));
    return Experiments.run(request, LoadExperiment.EXPERIMENT.with(LoadExperiment.queue(traits)));
  }

  private static String refusal(Failure.Code code, Function<Shape, Queue> queue) {
    TrialRequest request = request();
    return assertFails(code, request, () -> run(request, queue));
  }

  @Test
  void soundOnesPass() {
    TrialRequest request = request();
    request.boundNs = 30_000 * MS;
    TrialResult result = run(request, OneByOneMessage::new);
    assertFalse(result.cut());
    assertEquals(result.counts().get("messages").made(), result.counts().get("messages").found());
  }

  /** Lost, doubled and overtaken look alike: another one comes than is due. */
  @Test
  void anotherMessageThanIsDueBreaksTheSequence() {
    for (int off : new int[] {-1, 1, 7}) {
      String sentence =
          refusal(
              Failure.Code.SEQUENCE_BROKEN,
              shape ->
                  new OneByOneMessage(shape) {
                    @Override
                    long number(long number) {
                      return number == AT ? number + off : number;
                    }
                  });
      assertEquals(
          "Message 500 of producer 0 was due, but "
              + (AT + off)
              + " came: one was lost, doubled or overtaken.",
          sentence);
    }
  }

  @Test
  void aNumberThatNobodyPublishedBreaksTheSequence() {
    String sentence =
        refusal(
            Failure.Code.SEQUENCE_BROKEN,
            shape ->
                new SignalQueue(
                    new Sound() {
                      @Override
                      public void publish(long n) {
                        super.publish(n < AT || n >= STOPPED ? n : n + 100);
                      }
                    }));
    assertTrue(sentence.endsWith(" was seen before it was sent."), sentence);
  }

  @Test
  void aSignalThatIsForgottenStalls() {
    String sentence =
        refusal(
            Failure.Code.STALLED,
            shape ->
                new SignalQueue(
                    new Sound() {
                      @Override
                      public void publish(long n) {
                        super.publish(Math.min(n, AT));
                      }
                    }));
    assertEquals(LoadExperiment.EXPERIMENT.stalled(), sentence);
  }
}
