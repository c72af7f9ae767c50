package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.FileNotFoundException;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;

/**
 * HdrHistogram's own reader reads what threadping exports; tests in Python hold the export against
 * this file.
 */
class IntervalLogTest {
  private static final File LOG = new File("../../tests/golden/run.hlog");
  private static final String CAS = "signal/cas-one-line/cpp/same-l3/round_trip_ns";

  @Test
  void everyTrialIsAnIntervalWithItsTagItsTimeAndItsCounts() throws FileNotFoundException {
    final Map<String, Histogram> byTag = new HashMap<>();
    int intervals = 0;
    try (HistogramLogReader reader = new HistogramLogReader(LOG)) {
      while (reader.hasNext()) {
        final Histogram interval = (Histogram) reader.nextIntervalHistogram();
        if (interval == null) continue;
        intervals++;
        assertEquals(612, interval.getEndTimeStamp() - interval.getStartTimeStamp());
        byTag.computeIfAbsent(interval.getTag(), tag -> new Histogram(3)).add(interval);
      }
    }
    assertEquals(17, intervals);
    final Histogram cas = byTag.get(CAS);
    assertEquals(60_000, cas.getTotalCount());
    assertEquals(197, cas.getValueAtPercentile(99)); // a whole round trip
  }
}
