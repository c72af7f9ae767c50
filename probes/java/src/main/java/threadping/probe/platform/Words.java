package threadping.probe.platform;

import static org.jctools.util.UnsafeAccess.UNSAFE;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;

/**
 * Reads and writes 64-bit words at addresses outside the heap, each compiled to the one instruction
 * that it names, so that a wait loop here is the wait loop of the C++ probe.
 *
 * <p>A VarHandle on a ByteBuffer would not do: the buffer's address, limit and scope are read again
 * after every volatile read. Where two threads share a core, those three loads in the wait loop
 * doubled the latency of the published ping-pong (43 ns against 21). The foreign memory interface,
 * since Java 22, folds them away; before, sun.misc.Unsafe has no such fields. Which of the two it
 * is, the JIT compiler knows: both are constants. Unsafe is JCTools', since javac warns of code
 * that names it; since Java 22 nobody asks for it, and later ones will not have it.
 */
public final class Words {
  /** Null before Java 22; reached by name, because the probe is compiled for Java 17. */
  private static final VarHandle WORD = wordOfAllMemory();

  private Words() {}

  /**
   * Leaves what is there, but writes it in every way there is: the first call of each links it,
   * which takes milliseconds.
   */
  static void touch(long address) {
    set(address, get(address));
    setVolatile(address, getVolatile(address));
    setRelease(address, getAcquire(address));
    setOpaque(address, getOpaque(address));
    getAndAdd(address, 0);
    compareAndSet(address, 0, 0);
  }

  public static long getVolatile(long address) {
    return WORD == null ? UNSAFE.getLongVolatile(null, address) : (long) WORD.getVolatile(address);
  }

  public static void setVolatile(long address, long value) {
    if (WORD == null) {
      UNSAFE.putLongVolatile(null, address, value);
    } else {
      WORD.setVolatile(address, value);
    }
  }

  /** Unsafe has no weaker load than a volatile one; on x86 they are the same. */
  public static long getAcquire(long address) {
    return WORD == null ? UNSAFE.getLongVolatile(null, address) : (long) WORD.getAcquire(address);
  }

  public static void setRelease(long address, long value) {
    if (WORD == null) {
      UNSAFE.putOrderedLong(null, address, value);
    } else {
      WORD.setRelease(address, value);
    }
  }

  /** A plain load might be taken out of a wait loop; a plain store, below, may be used. */
  public static long getOpaque(long address) {
    return WORD == null ? UNSAFE.getLongVolatile(null, address) : (long) WORD.getOpaque(address);
  }

  public static void setOpaque(long address, long value) {
    if (WORD == null) {
      UNSAFE.putLong(address, value);
    } else {
      WORD.setOpaque(address, value);
    }
  }

  /** Plain, for what another word orders. */
  public static long get(long address) {
    return WORD == null ? UNSAFE.getLong(address) : (long) WORD.get(address);
  }

  public static void set(long address, long value) {
    if (WORD == null) {
      UNSAFE.putLong(address, value);
    } else {
      WORD.set(address, value);
    }
  }

  /** Returns what was there before. */
  public static long getAndAdd(long address, long addend) {
    return WORD == null
        ? UNSAFE.getAndAddLong(null, address, addend)
        : (long) WORD.getAndAdd(address, addend);
  }

  public static boolean compareAndSet(long address, long expected, long value) {
    return WORD == null
        ? UNSAFE.compareAndSwapLong(null, address, expected, value)
        : WORD.compareAndSet(address, expected, value);
  }

  /**
   * {@code insertCoordinates(JAVA_LONG.varHandle(), 0,
   * MemorySegment.ofAddress(0).reinterpret(MAX))}: what is left to say is the address.
   */
  private static VarHandle wordOfAllMemory() {
    if (Runtime.version().feature() < 22) {
      return null;
    }
    try {
      Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
      Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
      Class<?> step = Class.forName("java.lang.foreign.MemoryLayout$PathElement");
      Object nothing = segment.getMethod("ofAddress", long.class).invoke(null, 0L);
      Object all = segment.getMethod("reinterpret", long.class).invoke(nothing, Long.MAX_VALUE);
      Object word = Class.forName("java.lang.foreign.ValueLayout").getField("JAVA_LONG").get(null);
      Object noSteps = Array.newInstance(step, 0);
      Object handle = layout.getMethod("varHandle", noSteps.getClass()).invoke(word, noSteps);
      return (VarHandle)
          MethodHandles.class
              .getMethod("insertCoordinates", VarHandle.class, int.class, Object[].class)
              .invoke(null, handle, 0, new Object[] {all});
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }
}
