package threadping.probe.crew;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import threadping.probe.platform.Threads;

/** Threads that a test lets take part in loops, each on its own. */
public final class Players {
  /** What one does, and how many operations that were. */
  public interface Part {
    int play();
  }

  private final boolean virtual;
  private final List<CompletableFuture<Integer>> playing = new ArrayList<>();
  private final Map<Integer, Executor> threads = new HashMap<>();

  public Players(boolean virtual) {
    this.virtual = virtual;
  }

  /** A thread of its own plays this part. */
  public CompletableFuture<Integer> apart(Part part) {
    return on(life -> made(life).start(), part);
  }

  /** The thread of this number does, which plays all its parts, one after the other. */
  public CompletableFuture<Integer> as(int thread, Part part) {
    return on(
        threads.computeIfAbsent(thread, each -> Executors.newSingleThreadExecutor(this::made)),
        part);
  }

  private Thread made(Runnable life) {
    return Threads.make(virtual, "player", life);
  }

  private CompletableFuture<Integer> on(Executor thread, Part part) {
    CompletableFuture<Integer> played = CompletableFuture.supplyAsync(part::play, thread);
    playing.add(played);
    return played;
  }

  public static int end(CompletableFuture<Integer> part) throws Exception {
    return part.get(30, TimeUnit.SECONDS);
  }

  public boolean areOver() {
    return playing.stream().allMatch(CompletableFuture::isDone);
  }

  /** Again and again, as a watchdog does; none outlives a test that fails. */
  public void stop(Loops loops, int lines) throws InterruptedException {
    while (!areOver()) {
      for (int line = 0; line < lines; line++) {
        loops.stop(line);
      }
      Thread.sleep(1);
    }
  }
}
