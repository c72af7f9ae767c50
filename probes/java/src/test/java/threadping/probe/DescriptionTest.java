package threadping.probe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import threadping.probe.contract.Request;
import threadping.probe.toy.Toy;

/** What an experiment from elsewhere says of itself; MainTest asks the probe. */
class DescriptionTest {
  @ParameterizedTest
  @EnumSource(Request.Unit.class)
  void anExperimentThatTheContractDoesNotKnowHasItsOwnWords(Request.Unit windows) {
    byte[] text = Description.json("1", List.of("-Xflag"), List.of(Toy.experiment(windows)));
    String described = new String(text, UTF_8);
    assertTrue(described.contains("\"flags\":[\"-Xflag\"]"), described);
    assertTrue(
        described.contains(
            "\"name\":\"toy\",\"roles\":[{\"name\":\"left\",\"counts\":true},{\"name\":\"right\",\"counts\":true}],\"threads\":[2,2],\"windows\":\""
                + windows.word
                + "\""),
        described);
    assertTrue(described.contains("\"timed\":[\"increment\"]"), described);
    assertTrue(
        described.contains(
            "\"words\":{\"summary\":\"Adds in one locked instruction.\","
                + "\"costs\":\"A locked instruction.\"}"),
        described);
  }
}
