package threadping.probe.signal.mechanisms;

import java.io.IOException;
import threadping.probe.Failure;
import threadping.probe.Params;

/** A mechanism whose two directions are channels of the kernel's. */
abstract class Channels extends Blocking {
  Channels(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  final Mailboxes.Pair pair(Params params) {
    try {
      return open();
    } catch (IOException error) {
      throw new Failure(
          Failure.Code.INTERNAL,
          "No more channels for "
              + name()
              + " ("
              + error.getMessage()
              + "): ask for fewer lines, or raise the limit of open files.",
          error);
    }
  }

  abstract Mailboxes.Pair open() throws IOException;
}
