package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadping.probe.engine.Gate.Place;

/** Where an operation was, to the nanosecond. */
class GateTest {
  /** The latest window: none yet, from 1000 on, from there to 2000, or from 3000 on after that. */
  private static Gate gate(String window) {
    Gate gate = new Gate();
    if (!window.equals("none")) {
      gate.open(1000);
    }
    if (!window.equals("open") && !window.equals("none")) {
      gate.close(2000);
    }
    if (window.equals("second")) {
      gate.open(3000);
    }
    return gate;
  }

  /** Who comes to judge after a pause sees by the times what was inside. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          none,   0,    1,    OUTSIDE
          none,   100,  9999, OUTSIDE
          open,   1000, 1000, INSIDE
          open,   1000, 5000, INSIDE
          open,   999,  5000, CUT
          open,   999,  1001, CUT
          open,   900,  1000, OUTSIDE
          open,   900,  999,  OUTSIDE
          closed, 1000, 2000, INSIDE
          closed, 1000, 2001, CUT
          closed, 1999, 2001, CUT
          closed, 999,  2001, CUT
          closed, 999,  2000, CUT
          closed, 2000, 2001, OUTSIDE
          closed, 2001, 3000, OUTSIDE
          closed, 500,  1000, OUTSIDE
          second, 1000, 2000, OUTSIDE
          second, 1500, 3500, CUT
          second, 3000, 3500, INSIDE
          """)
  void anOperationIsInsideOrCutOrOutside(String window, long fromNs, long toNs, Place place) {
    assertEquals(place, gate(window).of(fromNs, toNs));
  }
}
