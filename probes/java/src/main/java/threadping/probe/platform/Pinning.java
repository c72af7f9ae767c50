package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import threadping.probe.Failure;

/** Where threads may run: each measuring thread on its own, or the process as a whole. */
public final class Pinning {
  /** More CPUs than any Linux kernel is built for (CONFIG_NR_CPUS is at most 8192). */
  private static final int MOST_CPUS = 65536;

  private static final int THIS_THREAD = 0;
  private static final NativeLong BYTES = new NativeLong(MOST_CPUS / 8);

  /** asm-generic/errno-base.h: the thread has ended. */
  private static final int ESRCH = 3;

  private Pinning() {}

  /** The CPUs that the calling thread may use, ascending. */
  public static List<Integer> allowedCpus() {
    byte[] mask = new byte[MOST_CPUS / 8];
    try {
      LibC.sched_getaffinity(THIS_THREAD, BYTES, mask);
    } catch (LastErrorException error) {
      throw new Failure(
          Failure.Code.INTERNAL, "The affinity mask cannot be read: " + words(error), error);
    }
    List<Integer> cpus = new ArrayList<>();
    for (int first = 0; first < MOST_CPUS; first += 8) {
      for (int bits = mask[first / 8] & 0xff; bits != 0; bits &= bits - 1) {
        cpus.add(first + Integer.numberOfTrailingZeros(bits));
      }
    }
    return cpus;
  }

  /** Pins the calling thread to these CPUs and returns its affinity as read back. */
  public static List<Integer> pinThisThread(List<Integer> wanted) {
    pin(THIS_THREAD, wanted, allowedCpus());
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
      for (int task : all) {
        pin(task, cpus, allowed);
      }
      pinned = all;
    }
    confirm(cpus);
  }

  private static Set<Integer> taskIds() {
    return Task.all().stream().map(task -> task.id).collect(Collectors.toSet());
  }

  /**
   * Returns the calling thread's affinity if it is as wanted; throws Failure(PIN_FAILED) if not.
   */
  public static List<Integer> confirm(List<Integer> wanted) {
    List<Integer> now = allowedCpus();
    if (!now.equals(wanted)) {
      throw new Failure(
          Failure.Code.PIN_FAILED,
          "Pinned to CPUs "
              + list(wanted)
              + ", the thread may use CPUs "
              + list(now)
              + ": name only CPUs that are online and not taken from this process.");
    }
    return now;
  }

  private static void pin(int task, List<Integer> cpus, List<Integer> allowed) {
    byte[] mask = new byte[MOST_CPUS / 8];
    for (int cpu : cpus) {
      mask[cpu / 8] |= (byte) (1 << cpu % 8);
    }
    try {
      LibC.sched_setaffinity(task, BYTES, mask);
    } catch (LastErrorException error) {
      if (error.getErrorCode() != ESRCH) {
        throw refusal(cpus, allowed, words(error));
      }
    }
  }

  private static String words(LastErrorException error) {
    return LibC.strerror(error.getErrorCode());
  }

  private static Failure refusal(List<Integer> wanted, List<Integer> allowed, String why) {
    return new Failure(
        Failure.Code.PIN_FAILED,
        (wanted.size() == 1 ? "CPU " : "CPUs ")
            + list(wanted)
            + " cannot be used here ("
            + why
            + "): this process may use CPUs "
            + list(allowed)
            + ".");
  }

  private static String list(List<Integer> cpus) {
    return cpus.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
