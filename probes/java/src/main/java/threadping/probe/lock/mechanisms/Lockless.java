package threadping.probe.lock.mechanisms;

/** A mechanism without a lock: no thread sleeps for another. */
abstract class Lockless extends LockMechanism {
  Lockless(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final boolean blocking() {
    return false;
  }

  @Override
  public final String timed() {
    return "increment";
  }
}
