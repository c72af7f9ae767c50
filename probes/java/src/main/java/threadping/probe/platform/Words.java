package threadping.probe.platform;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
  private static final int FIRST_WITH_FOREIGN_MEMORY = 22;

  private static final MethodHandle GET_VOLATILE;
  private static final MethodHandle SET_VOLATILE;
  private static final MethodHandle GET_ACQUIRE;
  private static final MethodHandle SET_RELEASE;
  private static final MethodHandle GET_OPAQUE;
  private static final MethodHandle SET_OPAQUE;
  private static final MethodHandle COMPARE_AND_SET;
  private static final MethodHandle GET_AND_ADD;

  static {
    try {
      if (Runtime.version().feature() >= FIRST_WITH_FOREIGN_MEMORY) {
        VarHandle word = wordOfAllMemory();
        GET_VOLATILE = word.toMethodHandle(VarHandle.AccessMode.GET_VOLATILE);
        SET_VOLATILE = word.toMethodHandle(VarHandle.AccessMode.SET_VOLATILE);
        GET_ACQUIRE = word.toMethodHandle(VarHandle.AccessMode.GET_ACQUIRE);
        SET_RELEASE = word.toMethodHandle(VarHandle.AccessMode.SET_RELEASE);
        GET_OPAQUE = word.toMethodHandle(VarHandle.AccessMode.GET_OPAQUE);
        SET_OPAQUE = word.toMethodHandle(VarHandle.AccessMode.SET_OPAQUE);
        COMPARE_AND_SET = word.toMethodHandle(VarHandle.AccessMode.COMPARE_AND_SET);
        GET_AND_ADD = word.toMethodHandle(VarHandle.AccessMode.GET_AND_ADD);
      } else {
        GET_VOLATILE = unsafe("getLongVolatile", long.class);
        SET_VOLATILE = unsafe("putLongVolatile", void.class, long.class);
        GET_ACQUIRE = GET_VOLATILE; // Unsafe has no weaker one; on x86 they are the same load
        SET_RELEASE = unsafe("putOrderedLong", void.class, long.class);
        GET_OPAQUE = GET_VOLATILE; // a plain load might be taken out of a wait loop
        SET_OPAQUE = unsafe("putLong", void.class, long.class); // plain, and it may be
        COMPARE_AND_SET = unsafe("compareAndSwapLong", boolean.class, long.class, long.class);
        GET_AND_ADD = unsafe("getAndAddLong", long.class, long.class);
      }
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

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

  /**
   * {@code insertCoordinates(JAVA_LONG.varHandle(), 0,
   * MemorySegment.ofAddress(0).reinterpret(MAX))}: what is left to say is the address.
   */
  private static VarHandle wordOfAllMemory() throws ReflectiveOperationException {
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
  }

  /** A method of sun.misc.Unsafe that takes an address and these. */
  private static MethodHandle unsafe(String name, Class<?> returned, Class<?>... values)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Field instance = type.getDeclaredField("theUnsafe");
    instance.setAccessible(true);
    MethodHandle method =
        MethodHandles.lookup()
            .findVirtual(
                type,
                name,
                methodType(returned, Object.class, long.class).appendParameterTypes(values));
    Object noArray = null; // the address is not relative to an object
    return MethodHandles.insertArguments(method, 0, instance.get(null), noArray);
  }
}
