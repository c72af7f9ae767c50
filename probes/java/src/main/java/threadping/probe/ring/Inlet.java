package threadping.probe.ring;

/** Where one producer puts messages in: it claims places, writes there, and publishes them. */
public interface Inlet {
  /**
   * Waits until there is room for so many, or leaves that to the publishing, and returns the last
   * one's place; after a stop any.
   */
  long claim(int count);

  /** What is to be written in this place; the same each time. */
  Message message(long place);

  /** Makes what was written from place to place known to the consumers; false if it was stopped. */
  boolean publish(long first, long last);
}
