package threadping.probe.toy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.MS;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import threadping.probe.Contract;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Trial;

@Timeout(60)
class ToyTest {
  @ParameterizedTest
  @EnumSource(Request.Unit.class)
  void isMeasuredLikeAnyOther(Request.Unit windows) {
    Experiment toy = Toy.experiment(windows);
    for (Mechanism mechanism : toy.mechanisms()) {
      Request request = Requests.brief(toy, null, null);
      request.mechanism = mechanism.name();
      request.measureNs = 30 * MS; // ten windows of each kind: each thread gets a CPU in some
      Result result = Trial.run(request, toy);
      assertEquals(List.of(), Contract.complaints("result", result.json()));
      assertEquals("toy", result.experiment);
      assertEquals(mechanism.name(), result.mechanism);
      assertEquals("left", result.threads.get(0).role);
      assertEquals("right", result.threads.get(1).role);

      assertFalse(result.cut);
      for (long[] ops : result.windows.ops) {
        assertTrue(LongStream.of(ops).limit(result.windows.count).sum() > 0);
      }
      assertEquals(Set.of("increments"), result.counts.keySet());
      Result.Held increments = result.counts.get("increments");
      assertEquals(result.warmUpOps + result.measuredOps, increments.made());
      assertEquals(increments.made(), increments.found());
      assertTrue(result.distributions.get("increment").values().length > 0);
    }
  }
}
