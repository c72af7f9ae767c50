package threadping.probe.own;

import static threadping.probe.Failure.Code.BAD_REQUEST;
import static threadping.probe.Failure.Code.INTERNAL;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import threadping.Lock;
import threadping.LongQueue;
import threadping.MessageQueue;
import threadping.Signal;
import threadping.probe.Failure;
import threadping.probe.platform.Jvm;

/** A user's class: which concept it is of, and how an object of it is made. */
final class OwnClass {
  /** What threads do by it, and the interfaces that say so; of these the first counts. */
  enum Concept {
    SIGNAL(Signal.class),
    QUEUE(MessageQueue.class, LongQueue.class, java.util.Queue.class),
    LOCK(Lock.class, java.util.concurrent.locks.Lock.class);

    private final List<Class<?>> interfaces;

    Concept(Class<?>... interfaces) {
      this.interfaces = List.of(interfaces);
    }

    private boolean isOf(Class<?> type) {
      return interfaces.stream().anyMatch(one -> one.isAssignableFrom(type));
    }

    String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Maximum time of a constructor; a test has less. */
  static long makingNs = 4_000_000_000L;

  final Concept concept;
  final Class<?> type;
  private final Constructor<?> constructor;

  /**
   * The class that a user names: CLASSPATH:CLASS. Throws Failure(BAD_REQUEST) for what cannot be
   * measured.
   */
  static OwnClass find(String named) {
    int colon = named.lastIndexOf(':');
    if (colon < 1 || colon == named.length() - 1) {
      throw BAD_REQUEST.failure(
          "'%s' names no class: write my.jar:com.acme.MyQueue, or classes:MyQueue.", named);
    }
    Class<?> type = new ClassPath(named.substring(0, colon)).load(named.substring(colon + 1));
    try {
      return new OwnClass(type);
    } catch (LinkageError error) { // of a method's type
      throw BAD_REQUEST.failure(error, "The class '%s' %s.", type.getName(), ClassPath.why(error));
    }
  }

  OwnClass(Class<?> type) {
    this.type = type;
    this.concept = concept(type);
    this.constructor = constructor(type, concept);
    if (type.getClassLoader() instanceof java.net.URLClassLoader) {
      Jvm.openToAgrona(); // it may be built on a queue of Agrona's
    }
  }

  private static Concept concept(Class<?> type) {
    List<Concept> all = Stream.of(Concept.values()).filter(one -> one.isOf(type)).toList();
    if (all.size() == 1) {
      return all.get(0);
    }
    String name = type.getName();
    if (all.size() > 1) {
      String both = all.stream().map(Concept::word).collect(Collectors.joining(" and a "));
      throw BAD_REQUEST.failure("The class '%s' is a %s: make two classes of it.", name, both);
    }
    Set<String> methods =
        Stream.of(type.getMethods()).map(Method::getName).collect(Collectors.toSet());
    List<Class<?>> near =
        Stream.of(Signal.class, MessageQueue.class, Lock.class)
            .filter(one -> Stream.of(one.getMethods()).anyMatch(m -> isItsOwn(m, methods)))
            .toList();
    throw BAD_REQUEST.failure(
        "The class '%s' is no signal, queue or lock: let it implement %s.",
        name,
        (near.isEmpty()
                ? List.of(Signal.class, MessageQueue.class, LongQueue.class, Lock.class)
                : near)
            .stream().map(Class::getName).collect(Collectors.joining(", or ")));
  }

  /** Whether it must be written, and is. */
  private static boolean isItsOwn(Method method, Set<String> names) {
    return Modifier.isAbstract(method.getModifiers()) && names.contains(method.getName());
  }

  private static Constructor<?> constructor(Class<?> type, Concept concept) {
    String name = type.getName();
    if (Modifier.isAbstract(type.getModifiers())) {
      String kind = type.isInterface() ? "an interface" : "abstract";
      throw BAD_REQUEST.failure(
          "The class '%s' is %s: name one that objects can be made of.", name, kind);
    }
    boolean mayHaveCapacity = concept == Concept.QUEUE;
    Class<?>[][] wanted = {{int.class}, {}};
    for (Class<?>[] parameters : mayHaveCapacity ? wanted : new Class<?>[][] {{}}) {
      for (Constructor<?> one : type.getDeclaredConstructors()) {
        if (Arrays.equals(one.getParameterTypes(), parameters)) {
          open(one);
          return one;
        }
      }
    }
    boolean isInner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    throw BAD_REQUEST.failure(
        "The class '%s' %s.",
        name,
        isInner
            ? "is inside another one and not static: make it static"
            : "needs a constructor without parameters"
                + (mayHaveCapacity ? ", or with its capacity, an int" : ""));
  }

  /** It need not be public; one of Java's own classes is. */
  private static void open(Constructor<?> constructor) {
    try {
      constructor.setAccessible(true);
    } catch (RuntimeException itIsJavas) {
      return;
    }
  }

  /** Whether it says how much it holds: what has no bound is bounded by what is in flight. */
  boolean hasCapacity() {
    return constructor.getParameterCount() == 1;
  }

  /** Makes an object within a bound, for callers that are not measured. */
  Object makeInTime(int capacity) {
    return Bounded.call(
        makingNs, "The constructor of '" + type.getName() + "'", () -> make(capacity));
  }

  /** Makes one. Throws Failure for what its constructor throws. */
  Object make(int capacity) {
    try {
      return hasCapacity() ? constructor.newInstance(capacity) : constructor.newInstance();
    } catch (InvocationTargetException error) {
      throw thrown(error.getCause());
    } catch (LinkageError error) {
      throw thrown(error instanceof ExceptionInInitializerError ? error.getCause() : error);
    } catch (ReflectiveOperationException error) {
      throw BAD_REQUEST.failure(error, "The class '%s' cannot be used: %s.", type.getName(), error);
    }
  }

  private Failure thrown(Throwable cause) {
    if (cause instanceof OutOfMemoryError full) {
      throw full;
    }
    if (cause instanceof LinkageError unlinked) {
      return BAD_REQUEST.failure(
          cause, "The class '%s' %s.", type.getName(), ClassPath.why(unlinked));
    }
    return INTERNAL.failure(cause, "The constructor of '%s' threw %s.", type.getName(), cause);
  }
}
