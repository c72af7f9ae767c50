import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Words outside the heap, where our probe's stand: of an array each access has its bounds checked,
 * which took up to a quarter longer.
 */
final class Memory {
  static final Unsafe WORDS = unsafe();

  /** In bytes. */
  static final int PAGE = 4096;

  static final int LINE_PAIR = 128;
  static final int WORD = 8;

  private Memory() {}

  /** So many bytes of zeros, from the begin of a page on; they are never given back. */
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
