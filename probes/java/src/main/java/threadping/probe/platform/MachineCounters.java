package threadping.probe.platform;

import java.util.Set;

/** What the kernel has counted so far for the machine; null where it does not tell. */
public record MachineCounters(Long stealNs, Long interrupts) {
  public static final MachineCounters UNKNOWN = new MachineCounters(null, null);

  /** The steal time of these CPUs, and the interrupts of all. */
  public static MachineCounters of(Set<Integer> cpus) {
    long[] counted = new long[2];
    Native.machineCounters(Pinning.array(cpus), counted);
    return new MachineCounters(Native.orNull(counted[0]), Native.orNull(counted[1]));
  }

  public MachineCounters since(MachineCounters start) {
    return new MachineCounters(
        difference(stealNs, start.stealNs), difference(interrupts, start.interrupts));
  }

  /** Never negative: steal time has been seen to step back on live migration. */
  private static Long difference(Long end, Long start) {
    return end == null || start == null ? null : (Long) Math.max(0, end - start);
  }
}
