package threadping.probe.platform;

import java.util.Arrays;
import java.util.List;

/** Where threads may run. */
public final class Pinning {
  private Pinning() {}

  /** The CPUs that the calling thread may use, ascending. */
  public static List<Integer> allowedCpus() {
    return list(Native.allowedCpus());
  }

  /** Pins the calling thread to these CPUs. Throws Failure(PIN_FAILED). */
  public static void pinThisThread(int... cpus) {
    Native.pinThread(cpus);
  }

  static List<Integer> list(int[] cpus) {
    Integer[] list = new Integer[cpus.length]; // streams would cost every trial milliseconds
    Arrays.setAll(list, each -> cpus[each]);
    return List.of(list);
  }
}
