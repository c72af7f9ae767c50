package threadping.probe.mechanisms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class WorkTest {
  /** Otherwise the steps of neighbouring operations would not wait for each other. */
  @Test
  void stepsGoOnWhereTheLastOnesEnded() {
    assertEquals(Work.steps(5, 1), Work.steps(2, Work.steps(3, 1)));
    assertNotEquals(Work.steps(2, 1), Work.steps(2, Work.steps(3, 1)));
    assertEquals(7, Work.steps(0, 7));
  }
}
