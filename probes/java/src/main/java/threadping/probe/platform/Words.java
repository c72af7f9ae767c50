package threadping.probe.platform;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
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

  private static final MethodHandle GET_VOLATILE =
      access(AccessMode.GET_VOLATILE, "getLongVolatile", long.class);
  private static final MethodHandle SET_VOLATILE =
      access(AccessMode.SET_VOLATILE, "putLongVolatile", void.class, long.class);
  // Unsafe has no weaker load than a volatile one; on x86 it is the same.
  private static final MethodHandle GET_ACQUIRE =
      access(AccessMode.GET_ACQUIRE, "getLongVolatile", long.class);
  private static final MethodHandle SET_RELEASE =
      access(AccessMode.SET_RELEASE, "putOrderedLong", void.class, long.class);
  // A plain load might be taken out of a wait loop; a plain store may be.
  private static final MethodHandle GET_OPAQUE =
      access(AccessMode.GET_OPAQUE, "getLongVolatile", long.class);
  private static final MethodHandle SET_OPAQUE =
      access(AccessMode.SET_OPAQUE, "putLong", void.class, long.class);
  private static final MethodHandle GET_AND_ADD =
      access(AccessMode.GET_AND_ADD, "getAndAddLong", long.class, long.class);
  private static final MethodHandle COMPARE_AND_SET =
      access(
          AccessMode.COMPARE_AND_SET, "compareAndSwapLong", boolean.class, long.class, long.class);

  private Words() {}

  /** Writes 0 in every way there is: the first call of each links it, which takes milliseconds. */
  static void clear(long address) {
    setVolatile(address, getVolatile(address));
    setRelease(address, getAcquire(address));
    setOpaque(address, getOpaque(address));
    getAndAdd(address, 0);
    compareAndSet(address, getVolatile(address), 0);
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

  /** In this mode, or by a method of sun.misc.Unsafe that takes an address and these. */
  private static MethodHandle access(
      AccessMode mode, String unsafeName, Class<?> returned, Class<?>... values) {
    if (WORD != null) {
      return WORD.toMethodHandle(mode);
    }
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      MethodType type = methodType(returned, Object.class, long.class).appendParameterTypes(values);
      MethodHandle method = MethodHandles.lookup().findVirtual(unsafe, unsafeName, type);
      Object noObject = null; // the address is not relative to one
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
      Object nothing = segment.getMethod("ofAddress", long.class).invoke(null, 0L);
      Object all = segment.getMethod("reinterpret", long.class).invoke(nothing, Long.MAX_VALUE);
      Class<?> layout = Class.forName("java.lang.foreign.ValueLayout");
      Object word = layout.getField("JAVA_LONG").get(null);
      Object handle = layout.getMethod("varHandle").invoke(word);
      return (VarHandle)
          MethodHandles.class
              .getMethod("insertCoordinates", VarHandle.class, int.class, Object[].class)
              .invoke(null, handle, 0, new Object[] {all});
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }
}
