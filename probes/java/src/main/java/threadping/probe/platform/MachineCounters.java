package threadping.probe.platform;

import java.util.Set;

/** What the kernel has counted for the machine; null where it does not tell. */
public record MachineCounters(Long stealNs, Long interrupts, Long energyUj) {
  public static final MachineCounters UNKNOWN = new MachineCounters(null, null, null);

  /**
   * The steal time of these CPUs, all interrupts and the energy of all packages since last time.
   */
  public static MachineCounters risen(Set<Integer> cpus) {
    long[] counted = new long[3];
    Native.machineCounters(Pinning.array(cpus), counted);
    return new MachineCounters(
        Native.orNull(counted[0]), Native.orNull(counted[1]), Native.orNull(counted[2]));
  }
}
