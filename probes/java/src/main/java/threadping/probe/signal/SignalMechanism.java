package threadping.probe.signal;

import java.util.Map;
import threadping.probe.Mechanism;

/** A way for one thread to tell another that it is its turn. */
public interface SignalMechanism extends Mechanism {
  /** So many cells, with these parameters (all that {@link #params} lists, defaults included). */
  Cells cells(int count, Map<String, Object> params);
}
