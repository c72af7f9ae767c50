package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import threadping.probe.Failure;

/** Where the calling thread may run. Only the thread is pinned, never the process. */
public final class Pinning {
  /** More CPUs than any Linux kernel is built for (CONFIG_NR_CPUS is at most 8192). */
  private static final int MOST_CPUS = 65536;

  private static final int THIS_THREAD = 0;
  private static final NativeLong BYTES = new NativeLong(MOST_CPUS / 8);

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
    for (int cpu = 0; cpu < MOST_CPUS; cpu++) {
      if ((mask[cpu / 8] >> cpu % 8 & 1) != 0) {
        cpus.add(cpu);
      }
    }
    return cpus;
  }

  /** Pins the calling thread, if a CPU is given, and returns its affinity as read back. */
  public static List<Integer> pinThisThread(Integer cpu) {
    List<Integer> allowed = allowedCpus();
    if (cpu == null) {
      return allowed;
    }
    byte[] mask = new byte[MOST_CPUS / 8];
    mask[cpu / 8] = (byte) (1 << cpu % 8);
    try {
      LibC.sched_setaffinity(THIS_THREAD, BYTES, mask);
    } catch (LastErrorException error) {
      throw refusal(cpu, allowed, words(error));
    }
    List<Integer> now = allowedCpus();
    if (!now.equals(List.of(cpu))) {
      throw refusal(cpu, now, "the pin was accepted but did not hold");
    }
    return now;
  }

  private static String words(LastErrorException error) {
    return LibC.strerror(error.getErrorCode());
  }

  private static Failure refusal(int cpu, List<Integer> allowed, String why) {
    String cpus = allowed.stream().map(String::valueOf).collect(Collectors.joining(", "));
    return new Failure(
        Failure.Code.PIN_FAILED,
        "CPU "
            + cpu
            + " cannot be used here ("
            + why
            + "): this process may use CPUs "
            + cpus
            + ".");
  }
}
