package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import threadping.probe.Failure;

class ParamsTest {
  private static final Mechanism MECHANISM =
      new Mechanism(
          "pigeon",
          true,
          List.of("flight"),
          1,
          List.of(
              Param.text("flight", List.of("low", "high")),
              Param.number("rests", 2, 1, 9).onlyWith("flight", "high")),
          null);

  private static String refusal(Failure.Code code, Map<String, Object> given) {
    return assertFails(code, () -> Params.of(MECHANISM, given));
  }

  @Test
  void whatIsNotGivenTakesItsDefault() {
    Params params = Params.of(MECHANISM, Map.of());
    assertEquals("low", params.text("flight"));
    assertEquals(2, params.number("rests"));
  }

  @Test
  void whatIsGivenIsTaken() {
    Params params = Params.of(MECHANISM, Map.of("rests", 9L, "flight", "high"));
    assertEquals("high", params.text("flight"));
    assertEquals(9, params.number("rests"));
  }

  @Test
  void aNameThatIsNotListed() {
    assertEquals(
        "pigeon has no parameter 'loops'.",
        refusal(Failure.Code.UNKNOWN_PARAM, Map.of("loops", 1L)));
  }

  @Test
  void aTextThatIsNoChoice() {
    assertEquals(
        "The parameter flight of pigeon must be one of low, high, not 'upside-down'.",
        refusal(Failure.Code.BAD_REQUEST, Map.of("flight", "upside-down")));
    refusal(Failure.Code.BAD_REQUEST, Map.of("flight", 1L));
  }

  @Test
  void aNumberOutOfRange() {
    assertEquals(
        "The parameter rests of pigeon must be a whole number from 1 to 9, not '10'.",
        refusal(Failure.Code.BAD_REQUEST, Map.of("flight", "high", "rests", 10L)));
    refusal(Failure.Code.BAD_REQUEST, Map.of("flight", "high", "rests", 0L));
    refusal(Failure.Code.BAD_REQUEST, Map.of("flight", "high", "rests", "3"));
  }

  @Test
  void aParameterWithoutItsPartner() {
    String sentence = "The parameter rests of pigeon may be given only with flight=high.";
    assertEquals(sentence, refusal(Failure.Code.BAD_REQUEST, Map.of("rests", 3L)));
    assertEquals(sentence, refusal(Failure.Code.BAD_REQUEST, Map.of("rests", 3L, "flight", "low")));
  }
}
