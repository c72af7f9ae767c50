package threadping.probe.ring;

/** How many take part, and how much is on its way. */
public final class Shape {
  public int producers = 1;
  public int consumers = 1;

  /** Messages that a queue holds. */
  public int size;

  /** Words that a message carries besides its id and stamp. */
  public int payload;

  /** Of a producer's messages so many at most are not yet taken by every consumer; 0: any. */
  public int inFlight;

  /** Messages that are claimed and published at once. */
  public int batch = 1;
}
