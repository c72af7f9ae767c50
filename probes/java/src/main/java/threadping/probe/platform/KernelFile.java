package threadping.probe.platform;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * One of the kernel's files, kept open: read anew by one system call, and looked through number by
 * number, without a word of it ever becoming an object. For one thread.
 */
final class KernelFile {
  private static final int SMALLEST = 512;

  private final int descriptor;
  private ByteBuffer text;
  private long address;
  private int length;
  private int next;

  private KernelFile(int descriptor) {
    this.descriptor = descriptor;
    takeRoom(SMALLEST);
  }

  /** Null where there is no such file, or too many are open. */
  static KernelFile open(String path) {
    int descriptor = LibC.open(path, LibC.O_RDONLY_CLOEXEC);
    if (descriptor < 0) {
      return null;
    }
    KernelFile file = new KernelFile(descriptor);
    while (file.read() && file.length > file.text.capacity() / 2) {
      file.takeRoom(2 * file.text.capacity());
    }
    return file;
  }

  /** Twice what it holds now: numbers grow. */
  private void takeRoom(int bytes) {
    text = ByteBuffer.allocateDirect(bytes);
    address = Pointer.nativeValue(Native.getDirectBufferPointer(text));
  }

  /** Reads it anew, and begins at its beginning; false if it tells nothing any more. */
  boolean read() {
    length = (int) LibC.pread(descriptor, address, text.capacity(), 0);
    next = 0;
    return length > 0;
  }

  /** Whether there is more on this line than spaces. */
  boolean hasMore() {
    while (next < length && text.get(next) == ' ') {
      next++;
    }
    return next < length && text.get(next) != '\n';
  }

  /** Whether the line goes on with this word, which is left behind then. */
  boolean skip(String word) {
    for (int each = 0; each < word.length(); each++) {
      if (next + each >= length || text.get(next + each) != word.charAt(each)) {
        return false;
      }
    }
    next += word.length();
    return true;
  }

  /** The next number on this line; {@link Look#UNKNOWN} if something else comes. */
  long number() {
    if (!hasMore() || !isDigit()) {
      return Look.UNKNOWN;
    }
    long number = 0;
    while (isDigit()) {
      number = 10 * number + text.get(next++) - '0';
    }
    return number;
  }

  private boolean isDigit() {
    return next < length && text.get(next) >= '0' && text.get(next) <= '9';
  }

  /** Leaves behind what is on this line up to this character; all of it where there is none. */
  void skipTo(char end) {
    while (next < length && text.get(next) != '\n') {
      if (text.get(next++) == end) {
        return;
      }
    }
  }

  /** Goes to the beginning of the next line; false if there is none. */
  boolean nextLine() {
    while (next < length && text.get(next++) != '\n') {
      // the rest of this one
    }
    return next < length;
  }
}
