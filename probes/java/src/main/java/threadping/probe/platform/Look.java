package threadping.probe.platform;

/** What the kernel had counted for a thread at one moment. Two of them bracket what took long. */
public final class Look {
  /** What the kernel does not tell, or was not asked. */
  public static final long UNKNOWN = -1;

  /** When it began, by System.nanoTime; then nothing of what follows had been read. */
  public long atNs;

  /** Where the thread was. */
  public int cpu;

  public long cpuNs;
  public long voluntarySwitches;
  public long involuntarySwitches;
  public long minorFaults;
  public long majorFaults;

  /** How long it was ready to run without a CPU. */
  public long runDelayNs = UNKNOWN;

  /** The same of each of the others. */
  public final long[] othersRunDelayNs;

  /** Those of its CPU. */
  public long interrupts = UNKNOWN;

  public Look(int others) {
    othersRunDelayNs = new long[others];
  }
}
