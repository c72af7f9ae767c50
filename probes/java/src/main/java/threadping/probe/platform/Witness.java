package threadping.probe.platform;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Looks at what the kernel counts for the thread that made it. Whatever it reads is opened when it
 * is made; a look allocates nothing.
 */
public final class Witness {
  /**
   * All witnesses of a trial together look so often to find out what a look takes. By the second
   * time it is compiled (Tier3InvocationThreshold is 200, and several times that while much is to
   * be compiled); for good it need not be, since it consists of system calls.
   */
  private static final int LOOKS = 600;

  private static final int LEAST_LOOKS = 3;

  /** Of these the run delay is looked at in each look; more would cost more than they tell. */
  private static final int MOST_OTHERS = 7;

  /** The steal time is told in steps of so many nanoseconds. */
  public static final long STEAL_STEP_NS = MachineCounters.NS_PER_TICK;

  /** struct rusage (linux/resource.h): two struct timeval and fourteen longs. */
  private static final int USAGE = 18 * Long.BYTES;

  private final ByteBuffer counts =
      ByteBuffer.allocateDirect(USAGE + 2 * Long.BYTES).order(ByteOrder.nativeOrder());
  private final long usage = Pointer.nativeValue(Native.getDirectBufferPointer(counts));
  private final long time = usage + USAGE;
  private final KernelFile delay = KernelFile.open("/proc/thread-self/schedstat");
  private final KernelFile softInterrupts = KernelFile.open("/proc/softirqs");
  private final Steal steal = new Steal();
  private final KernelFile[] others;

  private double lookNs;

  /** Looks at the run delay of these threads too, unless they are too many. */
  public Witness(int[] otherTasks) {
    boolean isTooMany = otherTasks.length > MOST_OTHERS;
    others = new KernelFile[isTooMany ? 0 : otherTasks.length];
    Arrays.setAll(
        others, each -> KernelFile.open("/proc/self/task/" + otherTasks[each] + "/schedstat"));
    measure(LEAST_LOOKS);
  }

  /** Finds out what a look takes, among so many witnesses. */
  public void measureAmong(int witnesses) {
    measure(Math.max(LEAST_LOOKS, LOOKS / witnesses));
  }

  private void measure(int looks) {
    Look look = newLook();
    long[] took = new long[looks];
    for (int each = 0; each < looks; each++) {
      look(look);
      took[each] = System.nanoTime() - look.atNs;
    }
    Arrays.sort(took);
    lookNs = took[looks / 2];
  }

  /** What a look takes. */
  public double lookNs() {
    return lookNs;
  }

  /** One that has room for what this looks at. */
  public Look newLook() {
    return new Look(others.length);
  }

  /** Whether the kernel tells of soft interrupts. */
  public boolean seesInterrupts() {
    return softInterrupts != null;
  }

  /** Reads all but the steal time. */
  public void look(Look into) {
    into.atNs = System.nanoTime();
    into.cpu = LibC.sched_getcpu();
    LibC.getrusage(LibC.RUSAGE_THREAD, usage);
    into.minorFaults = counts.getLong(8 * Long.BYTES);
    into.majorFaults = counts.getLong(9 * Long.BYTES);
    into.voluntarySwitches = counts.getLong(16 * Long.BYTES);
    into.involuntarySwitches = counts.getLong(17 * Long.BYTES);
    LibC.clock_gettime(LibC.CLOCK_THREAD_CPUTIME_ID, time);
    into.cpuNs = counts.getLong(USAGE) * 1_000_000_000L + counts.getLong(USAGE + Long.BYTES);
    into.runDelayNs = delayNs(delay);
    for (int each = 0; each < others.length; each++) {
      into.othersRunDelayNs[each] = delayNs(others[each]);
    }
    into.interrupts = interrupts(into.cpu);
  }

  /** Reads the steal time, which is dear and moves in large steps. */
  public void readSteal() {
    steal.read();
  }

  /** That of a CPU between the last two readings. */
  public long stealNs(int cpu) {
    return steal.sinceNs(cpu);
  }

  /** The second number (Documentation/scheduler/sched-stats.rst). */
  private static long delayNs(KernelFile schedstat) {
    if (schedstat == null || !schedstat.read()) {
      return Look.UNKNOWN;
    }
    schedstat.number();
    return schedstat.number();
  }

  /** The sum of a CPU's column; the first line names the columns. */
  private long interrupts(int cpu) {
    if (softInterrupts == null || !softInterrupts.read()) {
      return Look.UNKNOWN;
    }
    int column = 0;
    while (softInterrupts.hasMore() && softInterrupts.skip("CPU")) {
      if (softInterrupts.number() == cpu) {
        return sumOfColumn(column);
      }
      column++;
    }
    return Look.UNKNOWN;
  }

  private long sumOfColumn(int column) {
    long sum = 0;
    while (softInterrupts.nextLine()) {
      softInterrupts.skipTo(':');
      for (int each = 0; each < column; each++) {
        softInterrupts.number();
      }
      sum += softInterrupts.number();
    }
    return sum;
  }
}
