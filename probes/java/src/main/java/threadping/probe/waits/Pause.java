package threadping.probe.waits;

/**
 * Pauses some times between two looks ({@code Thread.onSpinWait}, a PAUSE on x86): leaves the line
 * to the writer and the core to its other hardware thread. How long a PAUSE takes is the CPU's:
 * some ten cycles before Intel's Skylake, some 140 since (Intel 64 and IA-32 Architectures
 * Optimization Reference Manual, "Pause Latency in Skylake").
 */
final class Pause implements Wait {
  private final long pauses;

  Pause(long pauses) {
    this.pauses = pauses;
  }

  @Override
  public long start() {
    return pauses;
  }

  @Override
  public long again(long state) {
    for (long left = state; left > 0; left--) {
      Thread.onSpinWait();
    }
    return state;
  }
}
