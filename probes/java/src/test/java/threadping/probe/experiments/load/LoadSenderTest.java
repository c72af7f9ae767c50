package threadping.probe.experiments.load;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static threadping.probe.TrialRequest.MS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Noted;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;
import threadping.probe.waits.Waits;

@Timeout(60)
class LoadSenderTest {
  private static final int CPU = 3;
  private static final int ATTEMPTS = 100;

  @TempDir Path cpus;

  private Course course;
  private int times;

  /** Its CPU leaves the state for one more time. */
  private synchronized long leave(int state) {
    try {
      Path folder = cpus.resolve("cpu" + CPU + "/cpuidle/state" + state);
      Files.writeString(Files.createDirectories(folder).resolve("usage"), ++times + "\n");
      return System.nanoTime();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** The receiver's CPU leaves the middle one of three states as a message comes. */
  private final class Waking extends Queue {
    Waking() {
      super(Waits.yielding());
    }

    @Override
    public Queue.Sender sender(int producer) {
      return new Queue.Sender(this) {
        @Override
        public boolean trySend(long id, int count) {
          leave(1);
          course.publishTaken(Message.number(id) + 1);
          return true;
        }
      };
    }

    @Override
    public Queue.Taker taker(int consumer) {
      throw new AssertionError("Nobody takes.");
    }
  }

  /**
   * What the CPU leaves 7 ms before a message is due is not the state in which that finds it. Asked
   * of another where the machine was so busy that it happened later.
   */
  @Test
  void reportsTheIdleStateThatAMessageFoundAndNoneBefore() throws Exception {
    List.of(0, 1, 2).forEach(this::leave);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      LoadSender sender = sender();
      sender.run(new Task(0, 1, 1, 0), new Noted()); // what comes before the schedule
      long number = course.taken();
      CompletableFuture<Long> interrupted =
          CompletableFuture.supplyAsync(
              () -> leave(2), CompletableFuture.delayedExecutor(1, MILLISECONDS));
      Noted samples = new Noted();
      assertEquals(1, sender.run(new Task(0, 1, 1, 0), samples));
      long due = Words.getAcquire(course.note(number) + Course.DUE);
      boolean inTime = interrupted.get() + MS / 10 < due;
      if (inTime && samples.saidNumbers() == 1) {
        assertEquals(1, samples.number(0), "deeper than the middle one");
        return;
      }
    }
    fail("no message was due in time");
  }

  /** Its first message is due in 8 ms. */
  private LoadSender sender() {
    Params params =
        params(
            List.of(
                Schedule.ARRIVALS,
                Schedule.RATE,
                Schedule.BURST,
                LoadExperiment.SENDER_WAITS,
                LoadExperiment.SIZE),
            Map.of("rate", 125L));
    course =
        new Course(new Waking(), new Mechanism.Setup(params, 1, 2, 7, true), false) {
          @Override
          long idleStates() {
            return Native.idleStates(CPU, cpus.toString());
          }
        };
    return new LoadSender(course);
  }

  @Test
  void onlyWhatSpinsKeepsItsCpu() {
    Map<String, Boolean> sleeps =
        Map.of("spin", false, "yielding", false, "backoff", true, "lite-blocking", true);
    sleeps.forEach(
        (wait, expected) -> {
          Param param = Param.text("wait", List.of(wait));
          assertEquals(expected, Waits.sleeps(params(List.of(param), Map.of())), wait);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutAWaitWhatBlocksLeavesItsCpu(boolean blocking) {
    Params params =
        params(
            List.of(
                Schedule.ARRIVALS,
                Schedule.RATE,
                Schedule.BURST,
                LoadExperiment.SENDER_WAITS,
                LoadExperiment.SIZE),
            Map.of("arrivals", Schedule.GAPS));
    Mechanism.Setup setup = new Mechanism.Setup(params, 1, 2, 7, blocking);
    assertEquals(blocking, new Course(new Waking(), setup, false).idles);
  }

  private static Params params(List<Param> all, Map<String, Object> given) {
    return Params.of(new Mechanism("made-up", true, List.of("latency"), 1, all, null), given);
  }
}
