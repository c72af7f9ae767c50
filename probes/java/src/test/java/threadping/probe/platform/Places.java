package threadping.probe.platform;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/** Where things are. */
public final class Places {
  public static final int LINE = 64;
  private static final int PAGE = 4096;

  private Places() {}

  /** The CPUs that the calling thread may use. */
  public static List<Integer> allowedCpus() {
    return Arrays.stream(Native.allowedCpus()).boxed().toList();
  }

  /** Writes somewhere. */
  public interface Writing {
    void write() throws InterruptedException;
  }

  /** The words of the page at this address that the writing changes. */
  public static List<Long> written(long page, Writing writing) throws InterruptedException {
    long[] before = words(page);
    writing.write();
    long[] after = words(page);
    List<Long> changed = new ArrayList<>();
    for (int word = 0; word < before.length; word++) {
      if (before[word] != after[word]) {
        changed.add(page + (long) word * Long.BYTES);
      }
    }
    return changed;
  }

  private static long[] words(long page) {
    long[] words = new long[PAGE / Long.BYTES];
    for (int word = 0; word < words.length; word++) {
      words[word] = Words.getOpaque(page + (long) word * Long.BYTES);
    }
    return words;
  }

  /** Over how many pieces of memory so large these addresses are spread. */
  public static int spread(List<Long> addresses, int bytes) {
    return new HashSet<>(addresses.stream().map(at -> at / bytes).collect(Collectors.toList()))
        .size();
  }

  /** What an object holds in a private field. */
  public static Object held(Object owner, String name) {
    try {
      Field field = owner.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(owner);
    } catch (ReflectiveOperationException error) {
      throw new AssertionError(error);
    }
  }

  /** Where the virtual machine puts a field: sun.misc.Unsafe by name, since javac warns of it. */
  public static long offset(Class<?> type, String name) {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field the = unsafe.getDeclaredField("theUnsafe");
      the.setAccessible(true);
      return (long)
          unsafe
              .getMethod("objectFieldOffset", Field.class)
              .invoke(the.get(null), type.getDeclaredField(name));
    } catch (ReflectiveOperationException error) {
      throw new AssertionError(error);
    }
  }
}
