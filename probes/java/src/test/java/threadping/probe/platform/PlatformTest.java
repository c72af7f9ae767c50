package threadping.probe.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import threadping.probe.Failure;

class PlatformTest {
  @Test
  void cellsOfManyLinePairsDoNotOverlap() {
    Lines lines = new Lines(40, 100);
    long end = 0;
    for (int cell = 0; cell < 40; cell++) {
      assertEquals(0, lines.first(cell) % Lines.LINE_PAIR);
      assertTrue(lines.first(cell) / 4096 > end / 4096);
      for (int pair = 0; pair < 100; pair++) {
        assertEquals(lines.first(cell) + pair * Lines.LINE_PAIR, lines.pair(cell, pair));
        assertEquals(0, Words.getAcquire(lines.pair(cell, pair)));
      }
      end = lines.pair(cell, 99) + Lines.LINE_PAIR - 1;
    }
  }

  /** By Documentation/admin-guide/mm/pagemap.rst of the kernel. */
  private static boolean isPresent(long address) throws IOException {
    try (RandomAccessFile pages = new RandomAccessFile("/proc/self/pagemap", "r")) {
      pages.seek(address / 4096 * 8);
      byte[] entry = new byte[8];
      pages.readFully(entry);
      return entry[7] < 0; // its bit 63
    }
  }

  @Test
  void linesAreLocatedWhereTheyAreTouched() throws Exception {
    Lines lines = new Lines(256);
    assertFalse(isPresent(lines.first(255)));
    Lines.touch();
    assertTrue(isPresent(lines.first(0)) && isPresent(lines.first(255)));
    assertEquals(0, Words.getOpaque(lines.start() + 255 * 4096));
  }

  @Test
  void cellsShareNoLineAndNoPage() {
    Lines lines = new Lines(256);
    Set<Long> pages = new HashSet<>();
    Set<Long> offsets = new HashSet<>();
    for (int cell = 0; cell < 256; cell++) {
      assertEquals(0, lines.first(cell) % 128);
      assertEquals(128, lines.second(cell) - lines.first(cell));
      assertEquals(lines.first(cell) / 4096, (lines.second(cell) + 127) / 4096);
      pages.add(lines.first(cell) / 4096);
      offsets.add(lines.first(cell) % 4096);
    }
    assertEquals(256, pages.size());
    assertEquals(31, offsets.size());
  }

  @Test
  void wordsOfALineKeepTheirValues() {
    Lines lines = new Lines(2);
    long word = lines.first(1);
    Words.setVolatile(word, 5);
    Words.setRelease(lines.second(1), 6);
    assertTrue(Words.compareAndSet(word, 5, 7));
    assertFalse(Words.compareAndSet(word, 5, 8));
    assertEquals(7, Words.getAndAdd(word, 2));
    assertEquals(9, Words.getVolatile(word));
    assertEquals(9, Words.getOpaque(word));
    Words.setOpaque(word, 10);
    assertEquals(10, Words.getVolatile(word));
    assertEquals(6, Words.getAcquire(lines.second(1)));
    assertEquals(0, Words.getAcquire(lines.first(0)));
  }

  @Test
  void linesThatWouldTakeTooMuchMemoryAreRefused() {
    String sentence =
        assertFails(Failure.Code.BAD_REQUEST, () -> new Lines(65_536, 1_000)); // 8 GiB
    assertTrue(sentence.endsWith("than the 1,024 MiB that a trial may: lower --lines."));
  }

  @Test
  void whatIsThrownBelowHasItsCodeAndItsSentence() {
    String sentence = assertFails(Failure.Code.PIN_FAILED, () -> Native.pinThread(65535));
    assertTrue(sentence.startsWith("CPU 65535 cannot be used here ("), sentence);
  }

  @Test
  void theClockCostsSomething() {
    assertTrue(Clock.costNs() > 0);
  }

  /** One that is not HotSpot, or that keeps no performance counters. */
  @Test
  void anyVirtualMachineTells() {
    assertTrue(Jvm.compileMs() > 0);
    long collections = Jvm.collections();
    System.gc();
    assertTrue(Jvm.collections() >= collections);
  }
}
