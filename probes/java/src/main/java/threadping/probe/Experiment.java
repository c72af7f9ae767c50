package threadping.probe;

import java.util.List;
import java.util.Objects;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

/** A question, and how it is asked of a mechanism. */
public abstract class Experiment<M extends Mechanism, R extends Result> {
  private final String name;
  private final List<String> roles;
  private final int leastThreads;
  private final int mostThreads;

  /** The roles are those of the threads in order; the last is for all further ones. */
  protected Experiment(String name, List<String> roles, int leastThreads, int mostThreads) {
    this.name = name;
    this.roles = roles;
    this.leastThreads = leastThreads;
    this.mostThreads = mostThreads;
  }

  public final String name() {
    return name;
  }

  public final List<String> roles() {
    return roles;
  }

  public final int leastThreads() {
    return leastThreads;
  }

  public final int mostThreads() {
    return mostThreads;
  }

  /** All that it can be asked of. */
  public abstract List<M> mechanisms();

  /** Measures one trial of a request that can be met. */
  protected abstract R run(Request request, M mechanism, Params params) throws InterruptedException;

  /** Measures one trial. Throws Failure for what the contract calls an error. */
  public final R run(Request request) throws InterruptedException {
    return run(request, mechanisms());
  }

  /** The same of one of these mechanisms. */
  public final R run(Request request, List<? extends M> mechanisms) throws InterruptedException {
    for (M mechanism : mechanisms) {
      if (mechanism.name().equals(request.mechanism)) {
        check(request, mechanism);
        return run(request, mechanism, Params.of(mechanism, request.params));
      }
    }
    throw new Failure(
        Failure.Code.UNKNOWN_MECHANISM,
        "No mechanism '" + request.mechanism + "' in " + name + " here.");
  }

  private void check(Request request, M mechanism) {
    if (mechanism.needs() != null) {
      throw new Failure(
          Failure.Code.UNSUPPORTED, mechanism.name() + " needs " + mechanism.needs() + ".");
    }
    int threads = request.cpus.size();
    if (threads < leastThreads || threads > mostThreads) {
      throw bad(name + " takes " + threadsInWords() + ", not " + threads + ".");
    }
    long pinned = request.cpus.stream().filter(Objects::nonNull).count();
    if (pinned > 0 && !mechanism.pinnable()) {
      throw bad(
          mechanism.name()
              + " has virtual threads, which have no CPU of their own: measure it unpinned.");
    }
    if (request.pinsProcess && pinned > 0 && pinned < threads) {
      throw bad(
          "The process is pinned to a CPU for every thread, or not at all: name all or none.");
    }
  }

  private String threadsInWords() {
    return leastThreads == mostThreads
        ? mostThreads + " threads, " + String.join(" and ", roles)
        : leastThreads + " to " + mostThreads + " threads";
  }

  private static Failure bad(String message) {
    return new Failure(Failure.Code.BAD_REQUEST, message);
  }
}
