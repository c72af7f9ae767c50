package threadping.probe.lock.mechanisms;

import java.util.List;

/** Every mechanism of the lock experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  public static final List<LockMechanism> ALL =
      List.of(
          new Monitor(),
          new Reentrant(),
          new ReentrantFair(),
          new Stamped(),
          new Semaphore(),
          new CasLoop(),
          new GetAndAdd(),
          new Adder(),
          new SingleWriterRelease(),
          new FalseSharing(),
          new Unprotected());

  private Mechanisms() {}
}
