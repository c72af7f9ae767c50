package threadping.probe.experiments.load;

import java.util.Map;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Params;
import threadping.probe.engine.Player;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;
import threadping.probe.waits.Waits;

/**
 * A queue, or a signal as one, and what the two threads at it share. Of each message the sender
 * notes what it knows, on a line pair of its own, which is written again when the message has been
 * taken. All is ordered by the mechanism, as the message is; by one that orders nothing only on
 * x86, whose stores are seen in their order.
 */
class Course extends LinePair implements Stage {
  private static final int SENDER = 0;
  private static final int RECEIVER = 1;

  /** In a note, behind the number of its message plus 1, which is written last: when it was due, */
  static final int DUE = 8;

  /** how long after the message before it, */
  static final int GAP = 16;

  /** when the one after it is due, */
  static final int NEXT_DUE = 24;

  /** and when it was sent. */
  static final int SENT = 32;

  /**
   * The engine fits tasks to the pace that it sees. After a stall that is the pace of the messages
   * that had queued, far above the schedule's: a run is no longer than this (ns) once that holds
   * again, so that its player sees an order, and a message in so much time is timed at least.
   */
  private static final double RUN_NS = 100e3;

  private static final double TIMED_NS = 4e3;

  final Queue queue;
  final int size;
  final long seed;
  final boolean virtual;
  final boolean senderSleeps;
  final boolean isByGap;
  final boolean idles;
  final Schedule schedule;
  final int mostInARun;
  final int mostEvery;
  private final Params params;
  private final Lines notes;
  private final int mask;
  private final Lines words = new Lines(1);

  /** Where it is pinned, or -1. */
  volatile int receiverCpu = -1;

  Course(Queue queue, Mechanism.Setup setup, boolean virtual) {
    this.queue = queue;
    this.params = setup.params();
    this.size = (int) params.number(LoadExperiment.SIZE.name());
    this.seed = setup.seed();
    this.virtual = virtual;
    this.senderSleeps = params.text(LoadExperiment.SENDER_WAITS.name()).equals("sleep");
    this.isByGap = params.text(Schedule.ARRIVALS.name()).equals(Schedule.GAPS);
    this.idles = isByGap && (setup.blocking() || Waits.sleeps(params));
    this.schedule = new Schedule(params, seed);
    this.mostInARun = schedule.dueIn(RUN_NS);
    this.mostEvery = Integer.highestOneBit(2 * schedule.dueIn(TIMED_NS) - 1);
    int count = Integer.highestOneBit(size - 1) << 1;
    this.notes = new Lines(1, count);
    this.mask = count - 1;
    publishEnd(Long.MAX_VALUE);
  }

  @Override
  public Player player(int thread) {
    return thread == SENDER ? new LoadSender(this) : new LoadReceiver(this);
  }

  @Override
  public boolean comparesClocks(int one, int other) {
    return true;
  }

  @Override
  public void stop(int line) {
    queue.stop();
  }

  @Override
  public long progress(int line) {
    return taken();
  }

  @Override
  public Map<String, Held> counts(long[] ops) {
    return queue.isStopped()
        ? Map.of()
        : Map.of("messages", new Held(ops[SENDER], ops[RECEIVER], true));
  }

  // ---- what they share ----

  /**
   * The address of the idle states of the receiver's CPU; 0 where they are not wanted or not known.
   */
  long idleStates() {
    return idles && receiverCpu >= 0
        ? Native.idleStates(receiverCpu, "/sys/devices/system/cpu")
        : 0;
  }

  /** The address of this message's note. */
  long note(long number) {
    return notes.pair(0, (int) (number & mask));
  }

  void publishTaken(long count) {
    Words.setRelease(words.first(0), count);
  }

  long taken() {
    return Words.getAcquire(words.first(0));
  }

  /** The message of this number only says that nothing follows. */
  void publishEnd(long number) {
    Words.setVolatile(words.second(0), number);
  }

  long end() {
    return Words.getAcquire(words.second(0));
  }
}
