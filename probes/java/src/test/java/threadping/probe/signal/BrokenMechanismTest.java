package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Params;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.signal.mechanisms.Cells;
import threadping.probe.signal.mechanisms.Mechanisms;
import threadping.probe.signal.mechanisms.SignalMechanism;

/** Mechanisms that are broken on purpose must not come out with a figure. */
@Timeout(60)
class BrokenMechanismTest {
  /** Taken in the first visit already, however slow the machine is. */
  private static final long WRONG_TURN = 3;

  /** The compare-and-swap mechanism, until something is changed. */
  private static class Sound implements Cells {
    private static final SignalMechanism MECHANISM = Mechanisms.ALL.get(0);

    final Cells sound = MECHANISM.cells(4, Params.of(MECHANISM, Map.of()));

    @Override
    public long pingTurn(int cell, long expected) {
      return sound.pingTurn(cell, expected);
    }

    @Override
    public long pongTurn(int cell, long expected) {
      return sound.pongTurn(cell, expected);
    }

    @Override
    public void stop(int cell) {
      sound.stop(cell);
    }

    @Override
    public long peek(int cell) {
      return sound.peek(cell);
    }
  }

  private static SignalMechanism mechanismOf(Cells cells) {
    return new SignalMechanism("broken", "", "") {
      @Override
      public Cells cells(int count, Params params) {
        return cells;
      }

      @Override
      public boolean blocking() {
        return false;
      }
    };
  }

  private static void run(Cells cells) throws InterruptedException {
    Request request = Requests.bounded(300, "broken", null, null);
    new Signal().run(request, List.of(mechanismOf(cells)));
  }

  @Test
  void soundOnePasses() throws Exception {
    run(new Sound());
  }

  @Test
  void aLostSignalStalls() {
    Cells losing =
        new Sound() {
          @Override
          public long pongTurn(int cell, long expected) {
            return expected == WRONG_TURN ? expected : super.pongTurn(cell, expected);
          }
        };
    assertFails(Failure.Code.STALLED, () -> run(losing));
  }

  @Test
  void aDoubledSignalBreaksTheSequence() {
    Cells doubling =
        new Sound() {
          @Override
          public long pongTurn(int cell, long expected) {
            long seen = super.pongTurn(cell, expected);
            return expected == WRONG_TURN ? super.pongTurn(cell, expected + 1) - 1 : seen;
          }
        };
    String sentence = assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(doubling));
    assertTrue(sentence.matches("Hand-over [34] was due, but [456] was there.*"), sentence);
  }

  @Test
  void aLineThatCountsOneTooManyAtTheEndBreaksTheSequence() {
    Cells miscounting =
        new Sound() {
          @Override
          public long peek(int cell) {
            return super.peek(cell) + 1;
          }
        };
    assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(miscounting));
  }

  @Test
  void anExceptionInATurnEndsTheTrial() {
    Cells throwing =
        new Sound() {
          @Override
          public long pongTurn(int cell, long expected) {
            if (expected == WRONG_TURN) {
              throw new IllegalMonitorStateException("on purpose");
            }
            return super.pongTurn(cell, expected);
          }
        };
    Throwable error = assertThrows(IllegalStateException.class, () -> run(throwing));
    assertEquals(IllegalMonitorStateException.class, error.getCause().getClass());
  }

  @Test
  void aTurnThatHearsNoStopIsGivenUp() {
    AtomicBoolean testIsOver = new AtomicBoolean();
    Cells deaf =
        new Sound() {
          @Override
          public long pongTurn(int cell, long expected) {
            while (!testIsOver.get()) {
              Thread.yield();
            }
            return Cells.POISON;
          }
        };
    String sentence = assertFails(Failure.Code.STALLED, () -> run(deaf));
    testIsOver.set(true);
    assertTrue(sentence.contains("hangs"), sentence);
  }
}
