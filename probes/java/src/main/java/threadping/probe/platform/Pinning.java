package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import threadping.probe.Failure;

/** Where threads may run: each measuring thread on its own, or the process as a whole. */
public final class Pinning {
  /** For more CPUs than any Linux kernel is built for (CONFIG_NR_CPUS is at most 8192). */
  private static final int MASK_BYTES = 65536 / 8;

  private Pinning() {}

  /** The CPUs that the calling thread may use, ascending. */
  public static List<Integer> allowedCpus() {
    byte[] mask = new byte[MASK_BYTES];
    try {
      LibC.sched_getaffinity(Task.CALLING.id, MASK_BYTES, mask);
    } catch (LastErrorException error) {
      throw Failure.Code.INTERNAL.failure(
          error, "The affinity mask cannot be read: %s", words(error));
    }
    return BitSet.valueOf(mask).stream().boxed().collect(Collectors.toList());
  }

  /** Pins the calling thread to these CPUs and returns its affinity as read back. */
  public static List<Integer> pinThisThread(List<Integer> wanted) {
    pin(Task.CALLING.id, wanted, allowedCpus());
    return confirm(wanted);
  }

  /**
   * Gives every thread of this process the same CPUs, as taskset does before there are any. Goes on
   * until no thread has come up that may have inherited something else.
   */
  public static void pinProcess(List<Integer> cpus) {
    List<Integer> allowed = allowedCpus();
    Set<Integer> pinned = Set.of();
    for (Set<Integer> all = taskIds(); !all.equals(pinned); all = taskIds()) {
      all.forEach(task -> pin(task, cpus, allowed));
      pinned = all;
    }
    confirm(cpus);
  }

  private static Set<Integer> taskIds() {
    return Task.all().stream().map(task -> task.id).collect(Collectors.toSet());
  }

  /** The calling thread's affinity if it is as wanted; throws Failure(PIN_FAILED) if not. */
  public static List<Integer> confirm(List<Integer> wanted) {
    List<Integer> now = allowedCpus();
    if (!now.equals(wanted)) {
      throw Failure.Code.PIN_FAILED.failure(
          "Pinned to CPUs %s, the thread may use CPUs %s: "
              + "name only CPUs that are online and not taken from this process.",
          list(wanted), list(now));
    }
    return now;
  }

  /** A thread that has ended is nobody's any more. */
  private static void pin(int task, List<Integer> cpus, List<Integer> allowed) {
    BitSet mask = new BitSet();
    cpus.forEach(mask::set);
    try {
      LibC.sched_setaffinity(task, MASK_BYTES, Arrays.copyOf(mask.toByteArray(), MASK_BYTES));
    } catch (LastErrorException error) {
      if (error.getErrorCode() != LibC.ESRCH) {
        throw Failure.Code.PIN_FAILED.failure(
            "%s %s cannot be used here (%s): this process may use CPUs %s.",
            cpus.size() == 1 ? "CPU" : "CPUs", list(cpus), words(error), list(allowed));
      }
    }
  }

  private static String words(LastErrorException error) {
    return LibC.strerror(error.getErrorCode());
  }

  private static String list(List<Integer> cpus) {
    return cpus.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
