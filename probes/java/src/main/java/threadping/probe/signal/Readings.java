package threadping.probe.signal;

import java.util.ArrayList;
import java.util.List;
import threadping.probe.platform.RunLengths;

/**
 * What ping has measured. All memory is taken and touched when it is made; adding to it allocates
 * nothing.
 */
final class Readings {
  private static final int MOST_BLOCKS = 1 << 20;
  private static final int MOST_SINGLES = 1 << 20;
  private static final long SHORTEST_VISIT_NS = 1_000;

  private final int[] blockLines;
  private final long[] blockNs;
  private final long[] singles = new long[MOST_SINGLES];
  private int blocksUsed;
  private int singlesUsed;

  /** Room for visits of at least SHORTEST_VISIT_NS, up to about a million of them. */
  Readings(long measureNs) {
    int room = (int) Math.min(MOST_BLOCKS, measureNs / SHORTEST_VISIT_NS + 1024);
    blockLines = new int[room];
    blockNs = new long[room];
  }

  /** Forgets all: after the warm-up, which records too, so that what measures is what is warm. */
  void clear() {
    blocksUsed = 0;
    singlesUsed = 0;
  }

  /** How many blocks can be kept. */
  int room() {
    return blockNs.length;
  }

  /** How many single round trips can still be kept. */
  int singlesLeft() {
    return singles.length - singlesUsed;
  }

  void addBlock(int line, long ns) {
    blockLines[blocksUsed] = line;
    blockNs[blocksUsed] = ns;
    blocksUsed++;
  }

  void addSingle(long ns) {
    singles[singlesUsed++] = ns;
  }

  /** For each line the mean round trips of its blocks, in the order measured. */
  List<double[]> blocksByLine(int lines, int roundTrips) {
    int[] counts = new int[lines];
    for (int block = 0; block < blocksUsed; block++) {
      counts[blockLines[block]]++;
    }
    List<double[]> byLine = new ArrayList<>();
    for (int count : counts) {
      byLine.add(new double[count]);
    }
    int[] next = new int[lines];
    for (int block = 0; block < blocksUsed; block++) {
      int line = blockLines[block];
      byLine.get(line)[next[line]++] = (double) blockNs[block] / roundTrips;
    }
    return byLine;
  }

  RunLengths singlesByValue() {
    return RunLengths.of(singles, singlesUsed);
  }
}
