package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The probe as threadping calls it: a process, files and an exit status. */
@Timeout(120)
class MainTest {
  private static final String UNPINNED = "../../contract/examples/good/request-unpinned.json";

  @TempDir Path folder;

  private Path result() {
    return folder.resolve("result.json");
  }

  private static List<String> probe(String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dthreadping.native=" + System.getProperty("threadping.native"));
    command.add("-XX:TieredStopAtLevel=1"); // and one collecting thread: they start sooner
    command.add("-XX:+UseSerialGC");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(Arrays.asList(words));
    return command;
  }

  private int run(String... words) throws IOException, InterruptedException {
    return new ProcessBuilder(probe(words))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start()
        .waitFor();
  }

  private int runRequest(String request) throws IOException, InterruptedException {
    return run("run", "--request", request, "--result", result().toString());
  }

  private String request(String... changes) throws IOException {
    String text = Contract.read(Path.of(UNPINNED));
    for (String change : changes) {
      String[] fromTo = change.split("=", 2);
      text = text.replace(fromTo[0], fromTo[1]);
    }
    return Files.writeString(folder.resolve("request.json"), text).toString();
  }

  private void assertResult(String wanted) throws IOException {
    byte[] text = Files.readAllBytes(result());
    assertEquals(List.of(), Contract.complaints("result", text));
    assertTrue(Files.readString(result()).contains(wanted), Files.readString(result()));
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> drafts =
          files.filter(file -> file.toString().endsWith(".part")).collect(Collectors.toList());
      assertEquals(List.of(), drafts);
    }
  }

  @Test
  void describesItself() throws Exception {
    assertEquals(0, run("describe"));
    byte[] text = Files.readAllBytes(folder.resolve("log"));
    assertEquals(List.of(), Contract.complaints("describe", text));
  }

  @Test
  void measures() throws Exception {
    assertEquals(0, runRequest(UNPINNED));
    assertResult("\"mechanism\":\"condition\"");
  }

  /** Agrona's are of Java 17, which not every virtual machine is that describes itself. */
  @Test
  void describingLoadsNoQueues() throws Exception {
    List<String> command = probe("describe");
    command.add(1, "-Xlog:class+load");
    Process probe =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    assertEquals(0, probe.waitFor());
    String loaded = Files.readString(folder.resolve("log"));
    assertTrue(loaded.contains("threadping.probe.mechanisms.queues.Queues "));
    assertFalse(loaded.contains(" org.agrona.") || loaded.contains(" org.jctools."));
  }

  /**
   * With its pauses, which the virtual machine logs into the working directory. What leads hundreds
   * of threads has a hundredth of a CPU or less: with a lambda to link here and there its windows
   * opened after the bound.
   */
  @Test
  void measuresNotifications() throws Exception {
    String notify =
        request(
            "\"signal\"=\"notify\"",
            "\"condition\"=\"monitor\"",
            "\"ops\",=\"ns\",",
            "500000000=30000000000");
    List<String> command = probe("run", "--request", notify, "--result", result().toString());
    command.add(1, "-Xlog:safepoint=info:file=safepoints.log:timenanos");
    command.add(1, "-Xlog:class+load");
    Process probe =
        new ProcessBuilder(absolute(command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    assertEquals(0, probe.waitFor());
    assertResult("\"counts\":{\"");
    assertResult("\"pauses\":[");
    List<String> linked =
        Pattern.compile("engine\\.(Lead|Outsider|Scene|Worker)\\$\\$Lambda")
            .matcher(Files.readString(folder.resolve("log")))
            .results()
            .map(MatchResult::group)
            .toList();
    assertEquals(List.of(), linked, "in a crowd that costs seconds");
  }

  /** In another working directory a class path must not begin here. */
  private static List<String> absolute(List<String> command) {
    List<String> words = new ArrayList<>(command);
    int classPath = words.indexOf("-cp") + 1;
    words.set(
        classPath,
        Arrays.stream(words.get(classPath).split(File.pathSeparator))
            .map(place -> Path.of(place).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator)));
    return words;
  }

  @Test
  void refusesABadRequest() throws Exception {
    assertEquals(2, runRequest("../../contract/examples/bad/request-truncated.json"));
    assertResult("\"bad-request\"");
  }

  @Test
  void refusesWhatItDoesNotKnow() throws Exception {
    assertEquals(2, runRequest(request("\"signal\"=\"smoke\"")));
    assertResult("\"unknown-experiment\"");
    assertEquals(2, runRequest(request("\"condition\"=\"smoke\"")));
    assertResult("\"unknown-mechanism\"");
  }

  @Test
  void saysThatAPinFailed() throws Exception {
    assertEquals(1, runRequest(request("\"cpu\": null=\"cpu\": 65535")));
    assertResult("\"pin-failed\"");
  }

  @Test
  void saysThatItsNativeLibraryIsMissing() throws Exception {
    List<String> command = probe("run", "--request", UNPINNED, "--result", result().toString());
    command.set(1, "-Dthreadping.native=" + folder.resolve("nowhere.so"));
    assertEquals(2, new ProcessBuilder(command).start().waitFor());
    assertResult("\"unsupported\"");
    assertResult("nowhere.so' is missing");
  }

  @Test
  void aMissingRequestIsABadOne() throws Exception {
    assertEquals(2, runRequest(folder.resolve("nothing").toString()));
    assertResult("\"bad-request\"");
  }

  @Test
  void refusesOtherWords() throws Exception {
    assertEquals(2, run("topology"));
    assertFalse(Files.exists(result()));
    assertNull(Main.options());
    assertNull(Main.options("describe", "me"));
    assertNull(Main.options("run", "--request", "a"));
    assertNull(Main.options("run", "--request", "a", "--result", "b", "--parent", "x"));
    assertNotNull(Main.options("run", "--request", "a", "--result", "b", "--parent", "7"));
  }

  @Test
  void endsAtOnceWhenItsParentIsAnother() throws Exception {
    assertEquals(
        1, run("run", "--request", UNPINNED, "--result", result().toString(), "--parent", "1"));
    assertFalse(Files.exists(result()));
  }

  @Test
  void diesWithItsParent() throws Exception {
    String long60s = request("5000000=60000000000", "500000000=90000000000");
    List<String> command =
        probe("run", "--request", long60s, "--result", result().toString()).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.toList());
    Process shell =
        new ProcessBuilder("sh", "-c", String.join(" ", command) + "; true")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    ProcessHandle probe = awaitChild(shell);
    awaitThread(probe, "pong"); // it has made its arrangements by then
    shell.destroyForcibly();
    probe.onExit().get(30, TimeUnit.SECONDS);
    assertFalse(Files.exists(result()));
  }

  private static ProcessHandle awaitChild(Process parent) throws InterruptedException {
    while (parent.children().findAny().isEmpty()) {
      Thread.sleep(5);
    }
    return parent.children().findAny().get();
  }

  private static void awaitThread(ProcessHandle process, String name) throws Exception {
    while (process.isAlive()) {
      try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
        for (Path thread : threads.collect(Collectors.toList())) {
          if (Files.readString(thread.resolve("comm")).trim().equals(name)) {
            return;
          }
        }
      } catch (IOException gone) {
        Thread.sleep(5);
      }
    }
  }
}
