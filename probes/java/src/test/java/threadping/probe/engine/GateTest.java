package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import threadping.probe.engine.Gate.Place;

/** Where an operation was, to the nanosecond. */
class GateTest {
  private final Gate gate = new Gate();

  private void assertPlace(Place place, long fromNs, long toNs) {
    assertEquals(place, gate.of(fromNs, toNs), "from " + fromNs + " to " + toNs);
  }

  @Test
  void nothingIsInsideBeforeTheFirstWindow() {
    assertPlace(Place.OUTSIDE, 0, 1);
    assertPlace(Place.OUTSIDE, 100, Long.MAX_VALUE);
  }

  @Test
  void whileItIsOpen() {
    gate.open(1000);
    assertPlace(Place.INSIDE, 1000, 1000);
    assertPlace(Place.INSIDE, 1000, 5000);
    assertPlace(Place.CUT, 999, 5000);
    assertPlace(Place.CUT, 999, 1001);
    assertPlace(Place.OUTSIDE, 900, 1000);
    assertPlace(Place.OUTSIDE, 900, 999);
  }

  /** Who comes to judge after a pause sees by the times what was inside. */
  @Test
  void whenItIsClosed() {
    gate.open(1000);
    gate.close(2000);
    assertPlace(Place.INSIDE, 1000, 2000);
    assertPlace(Place.CUT, 1000, 2001);
    assertPlace(Place.CUT, 1999, 2001);
    assertPlace(Place.CUT, 999, 2001);
    assertPlace(Place.CUT, 999, 2000);
    assertPlace(Place.OUTSIDE, 2000, 2001);
    assertPlace(Place.OUTSIDE, 2001, 3000);
    assertPlace(Place.OUTSIDE, 500, 1000);
  }

  @Test
  void theLastWindowIsTheOneThatCounts() {
    gate.open(1000);
    gate.close(2000);
    gate.open(3000);
    assertPlace(Place.OUTSIDE, 1000, 2000);
    assertPlace(Place.CUT, 1500, 3500);
    assertPlace(Place.INSIDE, 3000, 3500);
  }
}
