package threadping.probe.platform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import threadping.probe.Failure;

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

  /** The calling thread's affinity if it is as wanted; throws Failure(PIN_FAILED) if not. */
  public static List<Integer> confirm(List<Integer> wanted) {
    List<Integer> now = allowedCpus();
    if (!now.equals(wanted)) {
      throw Failure.Code.PIN_FAILED.failure(
          "Pinned to CPUs %s, the thread may use CPUs %s: "
              + "name only CPUs that are online and not taken from this process.",
          words(wanted), words(now));
    }
    return now;
  }

  static List<Integer> list(int[] cpus) {
    List<Integer> list = new ArrayList<>();
    for (int cpu : cpus) {
      list.add(cpu);
    }
    return List.copyOf(list);
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

  private static String words(List<Integer> cpus) {
    String list = cpus.toString();
    return list.substring(1, list.length() - 1);
  }
}
