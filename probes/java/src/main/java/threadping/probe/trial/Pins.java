package threadping.probe.trial;

import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import threadping.probe.message.Request;
import threadping.probe.platform.Pinning;

/** Puts the threads of a trial where its request wants them. */
public final class Pins {
  private final List<Integer> cpus;

  /** All the CPUs that the process gets, ascending; empty unless the process is pinned. */
  private final List<Integer> ofProcess;

  public Pins(Request request) {
    this.cpus = request.cpus;
    this.ofProcess =
        request.pinsProcess
            ? request.cpus.stream()
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.toList())
            : List.of();
  }

  /** Before the measuring threads start, so that they inherit it. */
  public void pinProcess() {
    if (!ofProcess.isEmpty()) {
      Pinning.pinProcess(ofProcess);
    }
  }

  /** By the measuring thread itself. Returns its affinity as read back. */
  public List<Integer> pinThread(int thread) {
    if (!ofProcess.isEmpty()) {
      return Pinning.confirm(ofProcess);
    }
    Integer cpu = cpus.get(thread);
    return cpu == null ? Pinning.allowedCpus() : Pinning.pinThisThread(cpu);
  }
}
