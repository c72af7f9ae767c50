package threadping.probe.platform;

/** Sees to it that the probe ends with the process that started it. */
public final class Parent {
  private Parent() {}

  /**
   * From now on the kernel kills this process when its parent dies. A parent that died before is
   * noticed by its id, if that is given.
   *
   * <p>The kernel keeps the signal with the calling thread, so this must be a thread that lives as
   * long as the probe.
   */
  public static void dieWithParent(Integer expectedParent) {
    Native.dieWithParent(expectedParent == null ? -1 : expectedParent);
  }
}
