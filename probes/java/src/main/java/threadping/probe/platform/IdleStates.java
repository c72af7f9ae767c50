package threadping.probe.platform;

/** Tells in which idle state a CPU was, by how often it has left each. */
public final class IdleStates {
  private final long address;

  private IdleStates(long address) {
    this.address = address;
  }

  /** Null where the kernel does not tell. */
  public static IdleStates of(int cpu) {
    return of(cpu, "/sys/devices/system/cpu");
  }

  /** The same of the CPUs in another folder. */
  public static IdleStates of(int cpu, String root) {
    long address = Native.idleStates(cpu, root);
    return address == 0 ? null : new IdleStates(address);
  }

  /**
   * How many states are deeper than the deepest that the CPU has left since the last look: 0 of the
   * deepest there is, and as many as there are where it left none.
   */
  public long look() {
    return Native.lookAtIdle(address);
  }
}
