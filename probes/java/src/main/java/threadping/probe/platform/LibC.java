package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;

/**
 * The calls that Java does not have, as 64-bit Linux defines them. All of them speak of the thread
 * that calls.
 */
final class LibC {
  static final int PR_SET_PDEATHSIG = 1; // linux/prctl.h
  static final int SIGKILL = 9; // asm-generic/signal.h
  static final int CLOCK_THREAD_CPUTIME_ID = 3; // linux/time.h
  static final int PROT_READ_WRITE = 3; // asm-generic/mman-common.h: PROT_READ | PROT_WRITE
  static final int MAP_PRIVATE_ANONYMOUS = 0x22; // linux/mman.h: MAP_PRIVATE | MAP_ANONYMOUS
  static final int MADV_NOHUGEPAGE = 15; // asm-generic/mman-common.h
  static final int RUSAGE_THREAD = 1; // linux/resource.h
  static final int O_RDONLY_CLOEXEC = 0x80000; // asm-generic/fcntl.h: O_RDONLY | O_CLOEXEC
  static final int ESRCH = 3; // asm-generic/errno-base.h: there is no such thread

  static {
    // Otherwise JNA starts ldconfig, to be told what the loader knows: 13 to 25 ms.
    System.setProperty("jna.platform.library.path", "");
    Native.register(LibC.class, "c");
  }

  private LibC() {}

  static native int sched_setaffinity(int pid, long bytes, byte[] mask) throws LastErrorException;

  static native int sched_getaffinity(int pid, long bytes, byte[] mask) throws LastErrorException;

  static native int getrusage(int who, long[] usage) throws LastErrorException;

  /** Into the struct rusage at this address. */
  static native int getrusage(int who, long usage);

  private static native int clock_gettime(int clock, long[] time) throws LastErrorException;

  /** Into the struct timespec at this address. */
  static native int clock_gettime(int clock, long time);

  /** What a CPU-time clock shows. */
  static long cpuNs(int clock) {
    long[] time = new long[2];
    clock_gettime(clock, time);
    return time[0] * 1_000_000_000L + time[1];
  }

  static native long mmap(
      long address, long bytes, int protection, int flags, int file, long offset)
      throws LastErrorException;

  static native int madvise(long address, long bytes, int advice);

  static native int prctl(int option, long second, long third, long fourth, long fifth);

  static native int getppid();

  static native int sched_getcpu();

  /** Below 0 where it cannot be opened. */
  static native int open(String path, int flags);

  static native long pread(int file, long into, long bytes, long offset);

  static native String strerror(int errno);
}
