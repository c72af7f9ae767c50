package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A thread of this process as the kernel knows it, by proc(5). */
final class Task {
  /** The thread that asks, which system calls take 0 for. */
  static final Task CALLING = new Task(0, Path.of("/proc/thread-self"));

  /** CPUCLOCK_SCHED | CPUCLOCK_PERTHREAD_MASK (linux/posix-timers.h), as glibc has it too. */
  private static final int SCHEDULED_TIME_OF_A_THREAD = 6;

  final int id;
  private final Path folder;

  private Task(int id, Path folder) {
    this.id = id;
    this.folder = folder;
  }

  /** All of them, those of the virtual machine too; some may end at any time. */
  static List<Task> all() {
    try (Stream<Path> folders = Files.list(Path.of("/proc/self/task"))) {
      return folders.map(Task::of).collect(Collectors.toList());
    } catch (IOException error) {
      throw new UncheckedIOException("The process's threads cannot be listed.", error);
    }
  }

  /** What the kernel calls the thread that asks. */
  static int callingId() {
    try {
      return of(Files.readSymbolicLink(CALLING.folder)).id;
    } catch (IOException error) {
      throw new UncheckedIOException("The thread's own number cannot be read.", error);
    }
  }

  private static Task of(Path folder) {
    return new Task(Integer.parseInt(folder.getFileName().toString()), folder);
  }

  /** Those whose names begin so. The kernel keeps 15 characters of a name. */
  static List<Task> named(String... beginnings) {
    List<Task> tasks = all();
    tasks.removeIf(task -> Arrays.stream(beginnings).noneMatch(task.read("comm")::startsWith));
    return tasks;
  }

  /** The CPU time that it has used; 0 if it has ended. */
  long cpuNs() {
    try {
      return LibC.cpuNs(~id << 3 | SCHEDULED_TIME_OF_A_THREAD);
    } catch (LastErrorException ended) {
      return 0;
    }
  }

  /** How often it has moved so far (kernel/sched/debug.c); null if the kernel does not tell. */
  Long migrations() {
    return numberAfter("se.nr_migrations", read("sched"));
  }

  /** What was counted for it so far; null if it has ended. */
  ThreadCounters counters() {
    String status = read("status");
    String stat = read("stat");
    if (status.isEmpty() || stat.isEmpty()) {
      return null;
    }
    String[] fromState = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    ThreadCounters counters = new ThreadCounters();
    counters.cpuNs = cpuNs();
    counters.voluntarySwitches = numberAfter("voluntary_ctxt_switches", status);
    counters.involuntarySwitches = numberAfter("nonvoluntary_ctxt_switches", status);
    counters.migrations = migrations();
    counters.minorFaults = Long.parseLong(fromState[7]);
    counters.majorFaults = Long.parseLong(fromState[9]);
    return counters;
  }

  /** The number after a word at the start of a line ("se.nr_migrations : 12"); null without one. */
  private static Long numberAfter(String word, String text) {
    for (String line : text.split("\n")) {
      if (line.startsWith(word)) {
        return Long.valueOf(line.substring(line.indexOf(':') + 1).trim());
      }
    }
    return null;
  }

  /** One of the kernel's files on it; empty if it has ended, or the kernel has no such file. */
  String read(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (IOException gone) {
      return "";
    }
  }
}
