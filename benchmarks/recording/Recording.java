import java.util.Arrays;
import threadping.probe.engine.Histogram;

/**
 * What it costs to record a duration, beside the two clock readings that it is made of;
 * recording.cpp asks the same.
 */
public final class Recording {
  private static final int BATCHES = 21;
  private static final int DURATIONS = 1_000_000;

  private static long sum;

  private Recording() {}

  public static void main(String[] args) {
    Histogram recorder = new Histogram();
    double[] clock = new double[BATCHES];
    double[] recorded = new double[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) { // in turn, so that what drifts falls on both
      clock[batch] = costOfReading();
      recorded[batch] = costOfRecording(recorder);
    }
    if (sum == 0) {
      throw new IllegalStateException("The clock stands still.");
    }
    System.out.printf(
        "java-%d  two readings %5.1f ns, recorded %5.1f ns: %4.1f ns for recording%n",
        Runtime.version().feature(),
        median(clock),
        median(recorded),
        median(recorded) - median(clock));
  }

  /** Nanoseconds for each of many durations. */
  private static double costOfReading() {
    long start = System.nanoTime();
    for (int each = 0; each < DURATIONS; each++) {
      long began = System.nanoTime();
      sum += System.nanoTime() - began;
    }
    return (double) (System.nanoTime() - start) / DURATIONS;
  }

  /** The same, each of them recorded. */
  private static double costOfRecording(Histogram recorder) {
    long start = System.nanoTime();
    for (int each = 0; each < DURATIONS; each++) {
      long began = System.nanoTime();
      recorder.record(System.nanoTime() - began);
    }
    return (double) (System.nanoTime() - start) / DURATIONS;
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
