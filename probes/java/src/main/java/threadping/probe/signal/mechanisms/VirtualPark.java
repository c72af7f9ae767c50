package threadping.probe.signal.mechanisms;

import threadping.probe.Params;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.VirtualThreads;

/**
 * LockSupport's park and unpark on two virtual threads: a parked one leaves its carrier thread, and
 * an unparked one is given to the scheduler, a ForkJoinPool of as many carriers as there are CPUs.
 * The kernel is asked only when a carrier has nothing left to run.
 *
 * <p>A virtual thread has no CPU of its own and the kernel counts nothing for it. So it is measured
 * unpinned; ping's counters are those of all carriers together, and pong's are zero.
 */
final class VirtualPark extends Blocking {
  VirtualPark() {
    super(
        "virtual-park",
        "Two virtual threads park (LockSupport) and unpark each other; what their carrier threads"
            + " use is counted as ping's.",
        "A parked virtual thread leaves its carrier, which sleeps if there is nothing else to run;"
            + " for very many threads that mostly wait.");
  }

  @Override
  public boolean pinnable() {
    return false;
  }

  @Override
  public int sinceJava() {
    return 21;
  }

  @Override
  public MeasuringThreads threads() {
    return new VirtualThreads();
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    return ParkBox.pair();
  }
}
