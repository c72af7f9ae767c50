package threadping.probe.platform;

import java.util.Set;

/** What the kernel has counted so far for the machine; null where it does not tell. */
public record MachineCounters(Long stealNs, Long interrupts, Long energyUj) {
  public static final MachineCounters UNKNOWN = new MachineCounters(null, null, null);

  /** The steal time of these CPUs, the interrupts of all, and the energy of all packages. */
  public static MachineCounters of(Set<Integer> cpus) {
    long[] counted = new long[3];
    Native.machineCounters(Pinning.array(cpus), counted);
    return new MachineCounters(
        Native.orNull(counted[0]), Native.orNull(counted[1]), Native.orNull(counted[2]));
  }

  public MachineCounters since(MachineCounters start) {
    return new MachineCounters(
        difference(stealNs, start.stealNs),
        difference(interrupts, start.interrupts),
        energySince(start));
  }

  /** A counter of energy begins again at 0 after some minutes or hours: that is no 0. */
  private Long energySince(MachineCounters start) {
    Long used = difference(energyUj, start.energyUj);
    return used == null || energyUj < start.energyUj ? null : used;
  }

  /** Never negative: steal time has been seen to step back on live migration. */
  private static Long difference(Long end, Long start) {
    return end == null || start == null ? null : (Long) Math.max(0, end - start);
  }
}
