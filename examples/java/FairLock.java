/** The thread that has waited longest gets it. */
public final class FairLock extends java.util.concurrent.locks.ReentrantLock {
  FairLock() { super(true); }
}
