package threadping.probe.lock.mechanisms;

/** A mechanism with a lock, whose waiting threads sleep. */
abstract class Locking extends LockMechanism {
  Locking(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final boolean blocking() {
    return true;
  }

  @Override
  public final String timed() {
    return "wait for the lock";
  }
}
