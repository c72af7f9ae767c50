package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A thread of this process as the kernel knows it, by proc(5). */
final class Task {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** CPUCLOCK_SCHED | CPUCLOCK_PERTHREAD_MASK (linux/posix-timers.h), as glibc has it too. */
  private static final int SCHEDULED_TIME_OF_A_THREAD = 6;

  final int id;

  private Task(int id) {
    this.id = id;
  }

  /** All of them, those of the virtual machine too; some may end at any time. */
  static List<Task> all() {
    List<Task> tasks = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(TASKS)) {
      for (Path folder : folders) {
        tasks.add(new Task(Integer.parseInt(folder.getFileName().toString())));
      }
    } catch (IOException error) {
      throw new IllegalStateException("The process's threads cannot be listed.", error);
    }
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

  /** Null if it has ended. */
  String name() {
    String comm = read("comm");
    return comm == null ? null : comm.trim();
  }

  /**
   * The number after a word at the start of a line, as in status and sched: "se.nr_migrations : 12"
   * (kernel/sched/debug.c). Null if the kernel does not tell.
   */
  static Long numberAfter(String word, String text) {
    for (String line : text.split("\n")) {
      if (line.startsWith(word)) {
        return Long.valueOf(line.substring(line.indexOf(':') + 1).trim());
      }
    }
    return null;
  }

  /** One of the kernel's files on it; null if it has ended, or the kernel has no such file. */
  String read(String file) {
    try {
      String text = Files.readString(TASKS.resolve(String.valueOf(id)).resolve(file));
      return text.isEmpty() ? null : text;
    } catch (IOException gone) {
      return null;
    }
  }
}
