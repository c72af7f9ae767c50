import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Words outside the heap, like our probe's: Java checks the bounds of each array access, which took
 * up to 25% longer.
 */
final class Memory {
  static final Unsafe WORDS = unsafe();

  /** In bytes. */
  static final int PAGE = 4096;

  static final int LINE_PAIR = 128;
  static final int WORD = 8;

  private Memory() {}

  /** Allocates zeroed bytes from the start of a page on, and never frees them. */
  static long pages(long bytes) {
    long begin = WORDS.allocateMemory(bytes + PAGE);
    WORDS.setMemory(begin, bytes + PAGE, (byte) 0);
    return (begin + PAGE - 1) / PAGE * PAGE;
  }

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }
}
