package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import threadping.probe.experiments.lock.LockExperiment;

/**
 * What the probe's virtual machine loads, and misses; its words, its exit status and its files are
 * asked of the probes of all languages (tests/contract).
 */
@Timeout(120)
class MainTest {
  private static final String LOADED = "-Xlog:class+load";

  @TempDir Path folder;

  private String probe(int status, List<String> flags, String... words) throws Exception {
    String[] all = new String[words.length + 1];
    all[0] = Main.class.getName();
    System.arraycopy(words, 0, all, 1, words.length);
    return Processes.run(status, folder, flags, all);
  }

  /** A good example, changed from one word to the other. */
  private String result(int status, List<String> flags, String... fromTo) throws Exception {
    String request = Contract.read(Contract.examples("good", "request-unpinned").get(0));
    for (int each = 0; each < fromTo.length; each += 2) {
      request = request.replace(fromTo[each], fromTo[each + 1]);
    }
    Files.writeString(folder.resolve("request.json"), request);
    probe(status, flags, "run", "--request", "request.json", "--result", "result.json");
    return Contract.read(folder.resolve("result.json"));
  }

  /** For an archive of the classes that either loads. */
  @Test
  void rehearsingDescribesAndMeasures() throws Exception {
    String request = Contract.read(Contract.examples("good", "request-unpinned").get(0));
    Files.writeString(folder.resolve("request.json"), request);
    String said =
        probe(0, List.of(), "rehearse", "--request", "request.json", "--result", "result.json");
    assertTrue(said.contains("\"experiments\":[") && said.contains("\"barrier\""), said);
    assertTrue(Contract.read(folder.resolve("result.json")).contains("\"windows\":{"));
  }

  /** Agrona's are of Java 17, which not every virtual machine is that describes itself. */
  @Test
  void describingLoadsNoQueues() throws Exception {
    String loaded = probe(0, List.of(LOADED), "describe");
    assertTrue(loaded.contains("threadping.probe.mechanisms.queues.Queues "));
    assertFalse(loaded.contains(" org.agrona.") || loaded.contains(" org.jctools."));
  }

  /**
   * Each of hundreds of threads has 1% of a CPU or less: with a lambda to link here and there
   * windows opened after the bound. The pauses are in the log in the working directory.
   */
  @Test
  void aWorkerLinksNothingWhileItMeasures() throws Exception {
    String result =
        result(
            0,
            List.of("-Xlog:safepoint=info:file=safepoints.log:timenanos", LOADED),
            "\"signal\"",
            "\"wakeup\"",
            "\"condition\"",
            "\"monitor\"",
            "\"ops\",",
            "\"ns\",",
            "500000000",
            "30000000000");
    assertTrue(result.contains("\"counts\":{\"") && result.contains("\"pauses\":["), result);
    List<String> linked =
        Pattern.compile("engine\\.Worker\\$\\$Lambda")
            .matcher(Contract.read(folder.resolve("log")))
            .results()
            .map(MatchResult::group)
            .toList();
    assertEquals(List.of(), linked, "in a barrier that costs seconds");
  }

  /** A brief trial of {@code threads} threads, which is refused. */
  private String refusal(String kib, int threads, String... flags) throws Exception {
    Files.write(
        folder.resolve("request.json"),
        TrialRequest.brief(LockExperiment.EXPERIMENT, new Integer[threads]).json());
    List<String> words =
        List.of(
            Main.class.getName(), "run", "--request", "request.json", "--result", "result.json");
    Processes.limited(kib, 2, folder, List.of(flags), words.toArray(String[]::new));
    return Contract.read(folder.resolve("result.json"));
  }

  /** Twelve GiB suffice for some that have half a GiB each. */
  @Test
  void saysHowManyThreadsTheSystemAllowed() throws Exception {
    String result =
        refusal(
            "12000000",
            1200,
            "-Xss512m",
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:ReservedCodeCacheSize=32m");
    assertTrue(
        result.matches(
            "(?s).*\"unsupported\".*\"Only \\d+ of 1,200 threads could be started \\(.*"),
        result);
  }

  /** The threads that were started hold what they have of it until they have ended. */
  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseG1GC"})
  void saysThatItsHeapIsFull(String collector) throws Exception {
    String result = refusal("unlimited", 400, "-Xmx8m", collector);
    assertTrue(
        result.matches(
            "(?s).*\"unsupported\".*\"Only \\d+ of 400 threads could be started\\. Java is out of"
                + " memory \\(.*"),
        result);
  }

  @Test
  void saysThatItsNativeLibraryIsMissing() throws Exception {
    String result = result(2, List.of("-Dthreadping.native=nowhere.so"));
    assertTrue(
        result.contains("\"unsupported\"") && result.contains("nowhere.so' is missing"), result);
    String refused = probe(2, List.of("-Dthreadping.native=nowhere.so"), "describe");
    assertTrue(refused.matches("(?s)[^\n]*nowhere.so' is missing[^\n]*\\n"), refused);
  }
}
