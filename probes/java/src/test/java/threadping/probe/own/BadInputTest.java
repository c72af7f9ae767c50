package threadping.probe.own;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Failures.assertFails;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadping.probe.Failure.Code;

/** Names that cannot be measured, and the sentence that says what to do. */
@Timeout(60)
class BadInputTest {
  private static final String LOCK =
      "public class Mine implements threadping.Lock { public long acquire() { return 0; }"
          + " public void release(long s) {} %s }";

  @TempDir Path folder;

  private String refusal(Code code, String named) {
    return assertFails(code, () -> OwnMechanism.find(named, null))
        .replace(folder.toString(), "DIR");
  }

  private String refusal(Code code, String name, String source) throws Exception {
    String path = Compiled.source(folder, name, source);
    return refusal(code, path + ":" + name);
  }

  @Test
  void aFileThatIsNotThereOrNoJar() throws Exception {
    assertEquals(
        "'Mine' names no class: write my.jar:com.acme.MyQueue, or classes:MyQueue.",
        refusal(Code.BAD_REQUEST, "Mine"));
    assertEquals(
        "There is neither a jar nor a folder 'DIR/mine.jar'.",
        refusal(Code.BAD_REQUEST, folder + "/mine.jar:Mine"));
    Files.writeString(folder.resolve("mine.jar"), "nothing");
    assertTrue(
        refusal(Code.BAD_REQUEST, folder + "/mine.jar:Mine")
            .startsWith("'DIR/mine.jar' is no jar: "));
  }

  @Test
  void aClassThatIsNotThere() throws Exception {
    Files.createDirectories(folder.resolve("none"));
    assertEquals(
        "There is no class 'Mine' in 'DIR/none', nor any other.",
        refusal(Code.BAD_REQUEST, folder + "/none:Mine"));
    Compiled.source(folder, "Mine", "package com.acme; " + String.format(LOCK, ""));
    assertEquals(
        "There is no class 'Mine' in 'DIR/classes'. There is com.acme.Mine.",
        refusal(Code.BAD_REQUEST, folder + "/classes:Mine"));
    assertEquals(
        "There is no class 'Yours' in 'DIR/classes'. There is com.acme.Mine.",
        refusal(Code.BAD_REQUEST, folder + "/classes:Yours"));
    assertEquals(
        "The class 'Mine' is 'com.acme.Mine': name it so, and the folder in which its package"
            + " begins.",
        refusal(Code.BAD_REQUEST, folder + "/classes/com/acme:Mine"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public class Mine {} | The class 'Mine' is no signal, queue or lock: let it implement"
            + " threadping.Signal, or threadping.MessageQueue, or threadping.LongQueue, or"
            + " threadping.Lock.",
        "public class Mine { public boolean offer(Object o) { return true; } } | The class 'Mine' is"
            + " no signal, queue or lock: let it implement threadping.MessageQueue.",
        "public abstract class Mine implements threadping.Lock {} | The class 'Mine' is abstract:"
            + " name one that objects can be made of.",
        "public interface Mine extends threadping.Lock {} | The class 'Mine' is an interface: name"
            + " one that objects can be made of."
      })
  void aClassThatIsNoMechanism(String source, String sentence) throws Exception {
    assertEquals(sentence, refusal(Code.BAD_REQUEST, "Mine", source));
  }

  @Test
  void aClassOfTwoConcepts() throws Exception {
    String source =
        "public class Mine extends java.util.concurrent.LinkedBlockingQueue<Object> implements"
            + " threadping.Lock { public long acquire() { return 0; } public void release(long s)"
            + " {} }";
    assertEquals(
        "The class 'Mine' is a queue and a lock: make two classes of it.",
        refusal(Code.BAD_REQUEST, "Mine", source));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public Mine(String name) {} | BAD_REQUEST | The class 'Mine' needs a constructor without"
            + " parameters.",
        "public Mine() { throw new IllegalArgumentException(\"no\"); } | INTERNAL | The constructor"
            + " of 'Mine' threw java.lang.IllegalArgumentException: no.",
        "static final int ZERO = 1 / Integer.parseInt(\"0\"); | INTERNAL | The constructor of 'Mine'"
            + " threw java.lang.ArithmeticException: / by zero.",
        "public boolean sleeps() { throw new IllegalStateException(\"no\"); } | INTERNAL | Mine.sleeps"
            + " threw java.lang.IllegalStateException: no."
      })
  void aClassThatCannotBeMadeOrAsked(String member, Code code, String sentence) throws Exception {
    assertEquals(sentence, refusal(code, "Mine", String.format(LOCK, member)));
  }

  @Test
  void aSignalThatDoesNotSayWhetherItMeets() throws Exception {
    String source =
        "public class Mine implements threadping.Signal { public void publish(long n) {} public long"
            + " await(long n) { return n; } public long published() { return 0; } public boolean"
            + " meets() { throw new AssertionError(1); } }";
    assertEquals(
        "Mine.meets threw java.lang.AssertionError: 1.", refusal(Code.INTERNAL, "Mine", source));
  }

  @Test
  void aConstructorThatHangs() throws Exception {
    String hanging =
        "public Mine() { java.util.concurrent.locks.LockSupport.parkNanos(30_000_000_000L); }";
    long usual = OwnClass.makingNs;
    OwnClass.makingNs = 1_000_000_000;
    try {
      assertEquals(
          "The constructor of 'Mine' had not returned after 1 s.",
          refusal(Code.STALLED, "Mine", String.format(LOCK, hanging)));
    } finally {
      OwnClass.makingNs = usual;
    }
  }

  /** Of another version of a class file the first bytes say so. */
  @Test
  void aClassOfANewerJava() throws Exception {
    Compiled.source(folder, "Mine", String.format(LOCK, ""));
    Path file = folder.resolve("classes/Mine.class");
    byte[] bytes = Files.readAllBytes(file);
    int here = Runtime.version().feature();
    bytes[7] = (byte) (44 + here + 4);
    Files.write(file, bytes);
    assertEquals(
        String.format(
            "The class 'Mine' was compiled for Java %d, and this is Java %d: compile it with"
                + " --release %d, or measure with --runtime java-%d.",
            here + 4, here, here, here + 4),
        refusal(Code.BAD_REQUEST, folder + "/classes:Mine"));
  }

  @Test
  void aClassThatIsDamaged() throws Exception {
    Files.createDirectories(folder.resolve("classes"));
    Files.writeString(folder.resolve("classes/Mine.class"), "nothing");
    assertTrue(
        refusal(Code.BAD_REQUEST, folder + "/classes:Mine")
            .startsWith("The class 'Mine' cannot be loaded: java.lang.ClassFormatError: "));
  }

  @Test
  void aClassWhoseLibraryIsNotInTheClassPath() throws Exception {
    Compiled.example(folder, "JctoolsRelaxedSpsc");
    assertEquals(
        "The class 'JctoolsRelaxedSpsc' needs the class 'org.jctools.queues.SpscArrayQueue', which"
            + " is not in its class path: add the jar that has it, as in a.jar:b.jar:CLASS.",
        refusal(Code.BAD_REQUEST, folder + "/classes:JctoolsRelaxedSpsc"));
  }
}
