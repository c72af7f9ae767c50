package threadping.probe.platform;

import java.util.List;

/** Looks at what the kernel counts for a thread. */
public interface Onlooker {
  /** What happened to a thread from one look to another; null where the kernel does not tell. */
  record Seen(
      long ns,
      int cpuBefore,
      int cpu,
      long cpuNs,
      Long runDelayNs,
      Long othersRunDelayNs,
      long voluntarySwitches,
      long involuntarySwitches,
      long minorFaults,
      long majorFaults,
      Long interrupts) {}

  /** Looks; returns when it began to, by System.nanoTime. */
  long look();

  /** What happened between the last two looks. */
  Seen seen();

  /** By what interrupts are counted; null where nothing tells. */
  String interrupts();

  /** What it cannot see and how it would, a sentence each. */
  List<String> lacking();
}
