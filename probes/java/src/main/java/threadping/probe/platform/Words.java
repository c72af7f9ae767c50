package threadping.probe.platform;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Array;
import java.lang.reflect.Field;

/**
 * Reads and writes 64-bit words at addresses outside the heap, each compiled to the one instruction
 * that it names, so that a wait loop here is the wait loop of the C++ probe.
 *
 * <p>A VarHandle on a ByteBuffer would not do: the buffer's address, limit and scope are read again
 * after every volatile read. Where two threads share a core, those three loads in the wait loop
 * doubled the latency of the published ping-pong (43 ns against 21). The foreign memory interface,
 * since Java 22, folds them away; before, sun.misc.Unsafe has no such fields. Both are reached by
 * name, because the probe is compiled for Java 11.
 */
public final class Words {
  /** Null before Java 22. */
  private static final VarHandle WORD = wordOfAllMemory();

  private static final MethodHandle GET_VOLATILE = of(AccessMode.GET_VOLATILE, "getLongVolatile");
  private static final MethodHandle SET_VOLATILE = of(AccessMode.SET_VOLATILE, "putLongVolatile");
  // Unsafe has no weaker load than a volatile one; on x86 they are the same.
  private static final MethodHandle GET_ACQUIRE = of(AccessMode.GET_ACQUIRE, "getLongVolatile");
  private static final MethodHandle SET_RELEASE = of(AccessMode.SET_RELEASE, "putOrderedLong");
  // A plain load might be taken out of a wait loop; a plain store may be used.
  private static final MethodHandle GET_OPAQUE = of(AccessMode.GET_OPAQUE, "getLongVolatile");
  private static final MethodHandle SET_OPAQUE = of(AccessMode.SET_OPAQUE, "putLong");
  private static final MethodHandle GET_AND_ADD = of(AccessMode.GET_AND_ADD, "getAndAddLong");
  private static final MethodHandle COMPARE_AND_SET =
      of(AccessMode.COMPARE_AND_SET, "compareAndSwapLong");

  private Words() {}

  /**
   * Leaves what is there, but writes it in every way there is: the first call of each links it,
   * which takes milliseconds.
   */
  static void touch(long address) {
    setVolatile(address, getVolatile(address));
    setRelease(address, getAcquire(address));
    setOpaque(address, getOpaque(address));
    getAndAdd(address, 0);
    compareAndSet(address, 0, 0);
  }

  public static long getVolatile(long address) {
    try {
      return (long) GET_VOLATILE.invokeExact(address);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static void setVolatile(long address, long value) {
    try {
      SET_VOLATILE.invokeExact(address, value);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static long getAcquire(long address) {
    try {
      return (long) GET_ACQUIRE.invokeExact(address);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static void setRelease(long address, long value) {
    try {
      SET_RELEASE.invokeExact(address, value);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static long getOpaque(long address) {
    try {
      return (long) GET_OPAQUE.invokeExact(address);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static void setOpaque(long address, long value) {
    try {
      SET_OPAQUE.invokeExact(address, value);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Returns what was there before. */
  public static long getAndAdd(long address, long addend) {
    try {
      return (long) GET_AND_ADD.invokeExact(address, addend);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  public static boolean compareAndSet(long address, long expected, long value) {
    try {
      return (boolean) COMPARE_AND_SET.invokeExact(address, expected, value);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** How a word is accessed in this mode; before Java 22 a method of sun.misc.Unsafe. */
  private static MethodHandle of(AccessMode mode, String unsafeName) {
    if (WORD != null) {
      return WORD.toMethodHandle(mode);
    }
    MethodType type = // of an element of an array; here of an object and an offset
        MethodHandles.arrayElementVarHandle(long[].class)
            .accessModeType(mode)
            .changeParameterType(0, Object.class)
            .changeParameterType(1, long.class);
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      MethodHandle method = MethodHandles.lookup().findVirtual(unsafe, unsafeName, type);
      Object noObject = null; // the offset is an address then
      return MethodHandles.insertArguments(method, 0, instance.get(null), noObject);
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
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
