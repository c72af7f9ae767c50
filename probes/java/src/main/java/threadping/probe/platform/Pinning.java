package threadping.probe.platform;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Where threads may run: each measuring thread on its own, or the process as a whole. */
public final class Pinning {
  private Pinning() {}

  /** The CPUs that the calling thread may use, ascending. */
  public static List<Integer> allowedCpus() {
    return list(Native.allowedCpus());
  }

  /** Pins the calling thread to these CPUs and returns its affinity as read back. */
  public static List<Integer> pinThisThread(List<Integer> wanted) {
    return list(Native.pinThread(array(wanted)));
  }

  /** Gives every thread of this process the same CPUs, as taskset does before there are any. */
  public static void pinProcess(List<Integer> cpus) {
    Native.pinProcess(array(cpus));
  }

  static List<Integer> list(int[] cpus) {
    Integer[] list = new Integer[cpus.length]; // streams would cost every trial milliseconds
    Arrays.setAll(list, each -> cpus[each]);
    return List.of(list);
  }

  /** Ascending, as the C++ room has its sets. */
  static int[] array(Collection<Integer> cpus) {
    int[] array = new int[cpus.size()];
    int next = 0;
    for (int cpu : new TreeSet<>(cpus)) {
      array[next++] = cpu;
    }
    return Arrays.copyOf(array, next);
  }
}
