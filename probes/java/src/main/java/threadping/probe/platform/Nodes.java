package threadping.probe.platform;

import java.util.List;

/** On which NUMA nodes memory stands. */
public final class Nodes {
  private Nodes() {}

  /** Those of the mapping that this address is in, ascending; null where the kernel is mute. */
  public static List<Integer> of(long address) {
    int[] nodes = Native.nodes(address);
    return nodes == null ? null : Pinning.list(nodes);
  }
}
