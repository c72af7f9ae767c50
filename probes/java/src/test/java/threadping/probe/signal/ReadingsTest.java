package threadping.probe.signal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingsTest {
  private final Readings readings = new Readings(1_000_000);

  @Test
  void blocksKeepTheirLineAndOrder() {
    readings.addBlock(2, 300);
    readings.addBlock(0, 100);
    readings.addBlock(2, 200);
    List<double[]> byLine = readings.blocksByLine(3, 10);
    assertArrayEquals(new double[] {10}, byLine.get(0));
    assertArrayEquals(new double[] {}, byLine.get(1));
    assertArrayEquals(new double[] {30, 20}, byLine.get(2));
  }

  @Test
  void singlesAreCountedByValue() {
    for (long single : new long[] {5, 3, 5, 9, 5}) {
      readings.addSingle(single);
    }
    assertArrayEquals(new long[] {3, 5, 9}, readings.singlesByValue().values);
    assertArrayEquals(new long[] {1, 3, 1}, readings.singlesByValue().counts);
  }

  @Test
  void clearForgetsAll() {
    readings.addBlock(0, 1);
    readings.addSingle(1);
    int left = readings.singlesLeft();
    readings.clear();
    assertEquals(left + 1, readings.singlesLeft());
    assertEquals(0, readings.blocksByLine(1, 1).get(0).length);
    assertEquals(0, readings.singlesByValue().values.length);
  }

  @Test
  void thereIsRoomForShortVisitsAndSomeMore() {
    assertEquals(1_000_000 / 1_000 + 1024, readings.room());
    for (int block = 0; block < readings.room(); block++) {
      readings.addBlock(0, 1);
    }
    assertEquals(readings.room(), readings.blocksByLine(1, 1).get(0).length);
  }
}
