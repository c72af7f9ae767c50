package threadping.probe.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** On which NUMA nodes memory stands, by proc(5)'s numa_maps. */
public final class Nodes {
  private static final Path MAPS = Path.of("/proc/self/numa_maps");

  private Nodes() {}

  /** Those of the mapping that this address is in, ascending; null where the kernel is mute. */
  public static List<Integer> of(long address) {
    try {
      return of(address, Files.readAllLines(MAPS));
    } catch (IOException unreadable) {
      return null;
    }
  }

  /**
   * Mappings come in ascending order, each with its first address only: {@code 7f2c80000000 default
   * anon=256 dirty=256 N0=200 N1=56 kernelpagesize_kB=4}.
   */
  static List<Integer> of(long address, List<String> maps) {
    String of = "";
    for (String line : maps) {
      long start = Long.parseUnsignedLong(line.substring(0, line.indexOf(' ')), 16);
      if (Long.compareUnsigned(start, address) > 0) {
        break;
      }
      of = line;
    }
    TreeSet<Integer> nodes = new TreeSet<>();
    for (String word : of.split(" ")) {
      if (word.matches("N\\d+=\\d+")) {
        nodes.add(Integer.valueOf(word.substring(1, word.indexOf('='))));
      }
    }
    return nodes.isEmpty() ? null : List.copyOf(nodes);
  }
}
