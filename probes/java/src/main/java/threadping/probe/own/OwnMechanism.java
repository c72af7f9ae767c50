package threadping.probe.own;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import threadping.Lock;
import threadping.LongQueue;
import threadping.MessageQueue;
import threadping.Signal;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Mechanism.Description;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.experiments.load.LoadExperiment;
import threadping.probe.experiments.lock.LockExperiment;
import threadping.probe.experiments.queue.QueueExperiment;
import threadping.probe.experiments.signal.SignalExperiment;
import threadping.probe.experiments.wakeup.WakeupExperiment;
import threadping.probe.mechanisms.locks.Cell;
import threadping.probe.mechanisms.locks.Locks;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.OneByOne;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.mechanisms.queues.Queues;
import threadping.probe.mechanisms.queues.Shape;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.waits.Wait;
import threadping.probe.waits.Waits;

/** A user's class as a mechanism, in the experiments that measure its concept. */
public final class OwnMechanism {
  private static final int SMALL = 64;

  /** Maximum time for it to say what it is. */
  private static final long ASKING_NS = 4_000_000_000L;

  private final OwnClass own;
  private final String name;

  /** One object, which is only asked what it is. */
  private final Object asked;

  private final boolean sleeps;

  /** For a signal: whether its threads meet. */
  private final boolean meets;

  private final Description words;

  /**
   * That of CLASSPATH:CLASS, by this name; null is the class's own. Throws Failure for what cannot
   * be measured.
   */
  public static OwnMechanism find(String named, String name) {
    OwnClass own = OwnClass.find(named);
    return new OwnMechanism(own, name == null ? own.type.getSimpleName() : name);
  }

  OwnMechanism(OwnClass own, String name) {
    this.own = own;
    this.name = name;
    this.asked = own.makeInTime(SMALL);
    this.sleeps = asks("sleeps", () -> sleeps(asked));
    this.meets = asks("meets", () -> asked instanceof Signal signal && signal.meets());
    this.words =
        new Description(
            "A " + own.concept.word() + " of your own: " + own.type.getName() + ".",
            sleeps ? "A thread that waits sleeps." : "A thread that waits keeps its CPU.");
  }

  /** What a method of it says. */
  private boolean asks(String method, Callable<Boolean> answer) {
    return Bounded.call(ASKING_NS, own.type.getSimpleName() + "." + method, answer);
  }

  private static boolean sleeps(Object asked) {
    if (asked instanceof Signal signal) {
      return signal.sleeps();
    }
    if (asked instanceof MessageQueue<?> queue) {
      return queue.sleeps();
    }
    return asked instanceof Lock lock ? lock.sleeps() : !isPolled(asked);
  }

  /** Whether its threads wait as a parameter says. */
  private static boolean isPolled(Object asked) {
    return asked instanceof LongQueue
        || asked instanceof java.util.Queue<?> && !(asked instanceof BlockingQueue<?>);
  }

  /** Its checks, which say what is wrong with it. */
  public Conformance conformance() {
    return new Conformance(this);
  }

  /** Its loops without anything of ours, on two CPUs. */
  public Bare bare(int... cpus) {
    return new Bare(this, cpus);
  }

  Class<?> type() {
    return own.type;
  }

  OwnClass.Concept concept() {
    return own.concept;
  }

  /** An experiment with it alone; null where that does not measure it. */
  public Experiment in(Experiment experiment) {
    Mechanism mechanism =
        switch (own.concept) {
          case SIGNAL -> signal(experiment.name());
          case QUEUE -> queue(experiment.name());
          case LOCK -> lock(experiment.name());
        };
    return mechanism == null ? null : experiment.with(mechanism);
  }

  boolean sleeps() {
    return sleeps;
  }

  // ---- signals ----

  Signal makeSignal() {
    return (Signal) own.make(0);
  }

  private Mechanism signal(String experiment) {
    Signals.Blocking signal =
        new Signals.Blocking(name, meets, false, List.of(), (params, word, first) -> makeSignal());
    if (experiment.equals("signal")) {
      return described(SignalExperiment.blocking(signal), sleeps ? 1 : SignalExperiment.LINES);
    }
    if (experiment.equals("wakeup")) {
      return meets || !sleeps ? null : described(WakeupExperiment.mechanism(signal));
    }
    return meets || !experiment.equals("load") ? null : described(LoadExperiment.signal(signal));
  }

  // ---- queues ----

  private Mechanism queue(String experiment) {
    List<Param> params = new ArrayList<>(List.of(Shape.SIZE, Shape.PRODUCERS));
    if (!sleeps) {
      params.addAll(Waits.PARAMS);
    }
    Queues.Traits traits =
        new Queues.Traits(name, sleeps, false, own.hasCapacity(), params, this::makeQueue);
    return switch (experiment) {
      case "queue" -> described(QueueExperiment.mechanism(traits));
      case "load" -> described(LoadExperiment.queue(traits));
      default -> null;
    };
  }

  /** As the user wrote it. */
  Object makeAny(int capacity) {
    return own.make(capacity);
  }

  /** Waiting threads do as the parameters say, unless they wait in the queue. */
  private Queue makeQueue(Shape shape, Params params) {
    return makeQueue(shape.size(), shape, sleeps ? Waits.yielding() : Waits.of(params));
  }

  @SuppressWarnings("unchecked") // it takes whatever it is given
  Queue makeQueue(int capacity, Shape shape, Wait wait) {
    Object made = own.make(capacity);
    if (made instanceof MessageQueue<?> queue) {
      return new OwnQueues.References((MessageQueue<Message>) queue, shape, wait);
    }
    if (made instanceof LongQueue queue) {
      return new OwnQueues.Numbers(queue, shape, wait);
    }
    return made instanceof BlockingQueue<?> queue
        ? new OneByOne.BlockingOneByOne((BlockingQueue<Message>) queue, shape)
        : new OneByOne((java.util.Queue<Message>) made, shape, wait);
  }

  boolean carriesWords() {
    return !(asked instanceof LongQueue);
  }

  boolean hasCapacity() {
    return own.hasCapacity();
  }

  // ---- locks ----

  private Mechanism lock(String experiment) {
    Locks.Entry entry = new Locks.Entry(name, true, true, Locks.inHeap(this::makeCell));
    return experiment.equals("lock") ? described(LockExperiment.mechanism(entry)) : null;
  }

  Lock makeLock() {
    Object made = own.make(0);
    return made instanceof Lock lock ? lock : new JavaLock((java.util.concurrent.locks.Lock) made);
  }

  private Cell makeCell() {
    return new OwnCell(makeLock());
  }

  /** A counter behind it. */
  private static final class OwnCell extends Cell.LockedCell {
    private final Lock lock;

    OwnCell(Lock lock) {
      this.lock = lock;
    }

    @Override
    protected long acquire() {
      return lock.acquire();
    }

    @Override
    protected void release(long stamp) {
      lock.release(stamp);
    }
  }

  /** One by Java's interface. */
  private record JavaLock(java.util.concurrent.locks.Lock lock) implements Lock {
    @Override
    public long acquire() {
      lock.lock();
      return 0;
    }

    @Override
    public void release(long stamp) {
      lock.unlock();
    }
  }

  private Mechanism described(Mechanism made) {
    return described(made, made.lines());
  }

  /** This mechanism, without the parameter that it cannot have. */
  private Mechanism described(Mechanism made, int lines) {
    List<Param> params =
        made.params().stream()
            .filter(param -> !param.equals(Shape.MESSAGE_BYTES) || carriesWords())
            .toList();
    return made.own(sleeps, lines, params, words);
  }
}
