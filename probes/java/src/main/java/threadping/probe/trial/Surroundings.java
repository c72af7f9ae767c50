package threadping.probe.trial;

import java.util.Set;
import threadping.probe.message.Result;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.MachineCounters;

/**
 * What happens around the measuring threads while they measure: on the machine, and in the virtual
 * machine, which is looked at last before and first after, so that reading the rest is not counted.
 */
public final class Surroundings {
  private final Result result;
  private final Jvm jvm = new Jvm();
  private Set<Integer> cpus;
  private MachineCounters machineBefore;
  private long collectionsBefore;
  private Long compileMsBefore;

  /** Made before measuring, and before the measuring threads. */
  public Surroundings(Result result) {
    this.result = result;
  }

  /**
   * Once the threads stand where they are to stand. Waits for an idle compiler, at most so long.
   */
  public void settle(long limitNs) {
    cpus = result.cpusInUse();
    MachineCounters.of(cpus); // once for nothing: the first reading loads and compiles much
    Jvm.awaitIdleCompiler(limitNs);
  }

  public void startMachine() {
    machineBefore = MachineCounters.of(cpus);
  }

  public void startJvm() {
    collectionsBefore = jvm.collections();
    compileMsBefore = jvm.compileMs();
  }

  public void stopJvm() {
    Long compileMs = jvm.compileMs();
    result.compileMs = compileMs == null ? null : (Long) (compileMs - compileMsBefore);
    result.collections = jvm.collections() - collectionsBefore;
  }

  public void stopMachine() {
    MachineCounters machine = MachineCounters.of(cpus).since(machineBefore);
    result.stealNs = machine.stealNs;
    result.interrupts = machine.interrupts;
  }
}
