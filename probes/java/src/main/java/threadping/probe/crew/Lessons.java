package threadping.probe.crew;

/**
 * Short calls from which HotSpot learns the timed loops, and then compiles them as methods.
 *
 * <p>They stay short for a while because it compiles a method for good after so many calls, not
 * after so many turns of its loops: with long calls only, every one would begin in slow code and be
 * replaced under way (OSR). It compiles in the background, so the compiler is awaited between two
 * parts: what a call taught too early is not learnt twice.
 */
enum Lessons {
  /**
   * C1 compiles after 200 calls (Tier3InvocationThreshold; HotSpot's compilationPolicy.cpp), which
   * the interpreter notices at a multiple of 128 (Tier0InvokeNotifyFreqLog).
   */
  FOR_C1(300, 1),

  /**
   * C2 compiles after 600 more calls, once these and the loop's turns are 15,000 together
   * (Tier4MinInvocationThreshold, Tier4CompileThreshold), which is noticed at a multiple of 1024
   * calls or of 8192 turns (Tier3InvokeNotifyFreqLog, Tier3BackedgeNotifyFreqLog); and 40,000
   * turns, which would ask for OSR (Tier4BackEdgeThreshold), are not reached.
   */
  FOR_C2(1000, Lessons.MOST_OPS);

  /** C2 unrolls no loop further than it has mostly turned. */
  static final int MOST_OPS = 20;

  /** Of each loop. */
  final int calls;

  /** In each call. */
  final int ops;

  Lessons(int calls, int ops) {
    this.calls = calls;
    this.ops = ops;
  }
}
