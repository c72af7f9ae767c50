package threadping.probe.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Keeps objects in the heap apart: between two of them a page is left, and a little more, so that
 * each also stands at another offset within its page ({@link Lines} does the same outside the
 * heap). A collector may move them, but it moves what lies between them too.
 */
public final class Fillers {
  private static final int PAGE = 4096;
  private static final int OFFSETS = 31;

  /** What stands around an object, at most. */
  public static final long BYTES = 2L * (PAGE + OFFSETS * Lines.LINE_PAIR);

  /** They last as long as this does. */
  private final List<byte[]> fillers = new ArrayList<>();

  /** What is made, with room before and after it. */
  public <T> T apart(Supplier<T> make) {
    fill();
    T made = make.get();
    fill();
    return made;
  }

  private void fill() {
    fillers.add(new byte[PAGE + fillers.size() % OFFSETS * Lines.LINE_PAIR]);
  }
}
