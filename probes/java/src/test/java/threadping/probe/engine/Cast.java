package threadping.probe.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import threadping.probe.platform.Threads;

/** The players of a stage, each on a thread of its own, which makes it; without any lead. */
public final class Cast {
  /** The one before, whose threads go when the next one comes: one is at work at a time. */
  private static Cast latest;

  private final Stage stage;
  private final boolean virtual;
  private final List<CompletableFuture<Integer>> playing = new ArrayList<>();
  private final Map<Integer, ExecutorService> threads = new HashMap<>();
  private final Map<Integer, Player> players = new HashMap<>();
  private final Map<Integer, Noted> samples = new HashMap<>();

  public Cast(Stage stage, boolean virtual) {
    this.stage = stage;
    this.virtual = virtual;
    if (latest != null) {
      latest.threads.values().forEach(ExecutorService::shutdown);
    }
    latest = this;
  }

  /** All of these are set up, as all are before a first order. */
  public Cast of(int threads) throws Exception {
    for (int thread = 0; thread < threads; thread++) {
      int each = thread;
      samples.put(thread, new Noted());
      end(
          as(
              thread,
              () -> {
                synchronized (players) {
                  players.put(each, stage.player(each));
                }
                return 0;
              }));
    }
    return this;
  }

  /** What this thread has left behind; once it has ended. */
  public Noted samples(int thread) {
    return samples.get(thread);
  }

  private CompletableFuture<Integer> as(int thread, Callable<Integer> part) {
    Executor executor =
        threads.computeIfAbsent(
            thread,
            each ->
                Executors.newSingleThreadExecutor(life -> Threads.make(virtual, "player", life)));
    CompletableFuture<Integer> played = on(executor, part);
    playing.add(played);
    return played;
  }

  /** This, by a thread of its own that ends with the process. */
  public static <T> CompletableFuture<T> apart(Callable<T> part) {
    return on(life -> Threads.make(false, "apart", life).start(), part);
  }

  private static <T> CompletableFuture<T> on(Executor executor, Callable<T> part) {
    CompletableFuture<T> played = new CompletableFuture<>();
    executor.execute(
        () -> {
          try {
            played.complete(part.call());
          } catch (Throwable error) {
            played.completeExceptionally(error);
          }
        });
    return played;
  }

  /** One run. */
  public CompletableFuture<Integer> run(int thread, int line, int count, int every) {
    Task task = new Task(line, count, every, System.nanoTime());
    return as(thread, () -> players.get(thread).run(task, samples.get(thread)));
  }

  /** One run without a clock, and the line is left. */
  public CompletableFuture<Integer> runAndLeave(int thread, int line, int count) {
    return runAndLeave(thread, line, count, 0);
  }

  /** One run, and the line is left. */
  public CompletableFuture<Integer> runAndLeave(int thread, int line, int count, int every) {
    Task task = new Task(line, count, every, 0);
    return as(
        thread,
        () -> {
          Player player = players.get(thread);
          int done = player.run(task, samples.get(thread));
          return done + player.leave(line, samples.get(thread));
        });
  }

  public CompletableFuture<Integer> leave(int thread, int line) {
    return as(thread, () -> players.get(thread).leave(line, samples.get(thread)));
  }

  public static <T> T end(CompletableFuture<T> part) throws Exception {
    return part.get(30, TimeUnit.SECONDS);
  }

  public boolean isOver() {
    return playing.stream().allMatch(CompletableFuture::isDone);
  }

  /** Again and again, as a watchdog does; none outlives a test that fails. */
  public void stop(int lines) throws InterruptedException {
    while (!isOver()) {
      for (int line = 0; line < lines; line++) {
        stage.stop(line);
      }
      Thread.sleep(1);
    }
  }
}
