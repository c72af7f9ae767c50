package threadping.probe.experiments.load;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import threadping.probe.Failure;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.queues.Handler;
import threadping.probe.mechanisms.queues.Message;
import threadping.probe.mechanisms.queues.Queue;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;

/**
 * The receiver: waits for messages, and times all of them or a sample, from when each was due and
 * from when it was sent. It reads the clock at once when it has seen some, and then what the sender
 * knows of them; several that it sees with one poll are received at that time.
 */
final class LoadReceiver extends LinePair implements Player, Handler {
  private static final int DUE_TO_SENT = 0;
  private static final int SENT_TO_RECEIVED = 1;
  private static final int AFTER_GAP = 2;

  /** Minimum gap in ns of each class: what is timed after such a gap counts there. */
  private static final long[] GAPS =
      Schedule.LENGTHS.values().stream().mapToLong(Long::longValue).toArray();

  private static final Collection<String> PARTS = Schedule.LENGTHS.keySet();

  /** In addition to the latency. */
  static final List<Role.NumberInfo> NUMBERS =
      Stream.concat(
              Stream.of("due-to-sent", "sent-to-received"),
              PARTS.stream().map(part -> "latency-after-" + part))
          .map(name -> new Role.NumberInfo(name, "ns"))
          .toList();

  /** The sender's: of how many idle states that are deeper a message found the receiver's CPU. */
  static final List<Role.NumberInfo> IDLE =
      PARTS.stream()
          .map(part -> new Role.NumberInfo("idle-after-" + part, "deeper states"))
          .toList();

  /** Nobody looks into what took long where a message may come meanwhile. */
  private static final long ROOM_FOR_A_LOOK_NS = 500_000;

  private static final int LOOKS = 1000;

  private final Course course;
  private final Queue.Taker taker;

  /** The number of the message that comes next. */
  private long next;

  /** One in {@code every} is timed on average; 0: none. */
  private int every;

  /** Next this one. */
  private long timed = Long.MAX_VALUE;

  /** Never 0. */
  private long random;

  private boolean isOver;
  private Samples samples;

  LoadReceiver(Course course) {
    this.course = course;
    this.taker = course.queue.taker(0);
    this.random = course.seed | Long.MIN_VALUE;
    int[] cpus = course.virtual ? new int[0] : Native.allowedCpus();
    course.receiverCpu = cpus.length == 1 ? cpus[0] : -1;
  }

  @Override
  public int run(Task task, Samples samples) throws InterruptedException {
    int wanted = Math.min(task.every(), course.mostEvery);
    if (wanted != every) {
      every = wanted;
      timed = every == 0 ? Long.MAX_VALUE : next - 1 + drawGap();
    }
    return receive(Math.min(task.count(), course.mostInARun), samples);
  }

  @Override
  public int leave(int line, Samples samples) throws InterruptedException {
    return receive(Integer.MAX_VALUE, samples);
  }

  /** Takes until it has taken {@code count}, or there is nothing to take any more. */
  private int receive(int count, Samples samples) throws InterruptedException {
    this.samples = samples;
    long first = next;
    while (next - first < count && !isOver) {
      long came = taker.take(course.size, this);
      isOver = isOver || came == 0;
      course.publishTaken(next);
    }
    return (int) (next - first);
  }

  /** All that is there; it reads the clock first, where one of these is to be timed. */
  @Override
  public void handle(Messages messages, long first, long end) {
    long now = timed < next + (end - first) ? System.nanoTime() : 0;
    long over = course.end();
    for (long at = first; at < end; at++) {
      long due = Message.id(0, next);
      if (messages.id(at) != due || isOver) {
        throw Message.broken(due, messages.id(at));
      }
      isOver = next == over;
      if (next == timed && !isOver) {
        time(next, now);
        timed += drawGap();
      }
      next += isOver ? 0 : 1;
    }
    if (now != 0) {
      samples.readClock(1);
    }
  }

  /**
   * How many messages later the next is timed. Drawn, from 1 to 2 * every - 1: a fixed distance
   * would always meet the same places in bursts. Xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
   */
  private long drawGap() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return 1 + ((random >>> 32) * (2L * every - 1) >>> 32);
  }

  /** What is written before a message that orders nothing comes soon after it. */
  private boolean isNoted(long note, long number) {
    int looks = 0;
    while (Words.getAcquire(note) != number + 1 && looks < LOOKS) {
      looks++;
    }
    return looks < LOOKS;
  }

  /** Latency is exactly what the two parts of it are together. */
  private void time(long number, long now) {
    long note = course.note(number);
    if (!isNoted(note, number)) {
      throw Failure.Code.SEQUENCE_BROKEN.failure(
          "Message %,d was seen before it was sent.", number);
    }
    long due = Words.getAcquire(note + Course.DUE);
    long sent = Words.getAcquire(note + Course.SENT);
    samples.add(due, now);
    samples.number(DUE_TO_SENT, sent - due);
    samples.number(SENT_TO_RECEIVED, now - sent);
    if (course.isByGap) {
      samples.number(AFTER_GAP + partOf(Words.getAcquire(note + Course.GAP)), now - due);
    }
    long nextDue = Words.getAcquire(note + Course.NEXT_DUE);
    samples.othersWait(nextDue - now < ROOM_FOR_A_LOOK_NS);
  }

  /** The part of the gap axis to which a gap belongs. */
  static int partOf(long ns) {
    int at = 0;
    while (at + 1 < GAPS.length && ns >= GAPS[at + 1]) {
      at++;
    }
    return at;
  }
}
