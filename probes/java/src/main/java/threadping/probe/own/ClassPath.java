package threadping.probe.own;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Where a user's class is looked for: jars and folders of classes. What they have is theirs alone:
 * of this probe they see the package {@link threadping}, and none of the libraries that it brings,
 * which may be other versions.
 */
final class ClassPath {
  private static final int MOST_TOLD = 3;
  private static final int DEEPEST = 20;
  private static final Pattern VERSIONS =
      Pattern.compile("class file version (\\d+)\\.\\d+\\).*up to (\\d+)\\.", Pattern.DOTALL);
  private static final Pattern OTHER_NAME = Pattern.compile("wrong name: ([^)]+)\\)");

  /** From the version of a class file to the Java that made it. */
  private static final int BEFORE_JAVA = 44;

  private final String text;
  private final List<Path> entries = new ArrayList<>();

  /**
   * Reads its entries, between colons. Throws Failure for one that is neither a folder nor a jar.
   */
  ClassPath(String text) {
    this.text = text;
    for (String entry : text.split(":")) {
      Path at = Path.of(entry);
      entries.add(at);
      if (!Files.isDirectory(at)) {
        inJar(at);
      }
    }
  }

  private static List<String> in(Path entry) {
    return Files.isDirectory(entry) ? inFolder(entry) : inJar(entry);
  }

  private static List<String> inFolder(Path folder) {
    try (Stream<Path> files = Files.walk(folder, DEEPEST)) {
      return files.map(file -> folder.relativize(file).toString()).toList();
    } catch (IOException | UncheckedIOException error) {
      return List.of(); // it is only looked at for what else there is
    }
  }

  private static List<String> inJar(Path jar) {
    if (!Files.exists(jar)) {
      throw BAD_REQUEST.failure("There is neither a jar nor a folder '%s'.", jar);
    }
    try (ZipFile file = new ZipFile(jar.toFile())) {
      return file.stream().map(Object::toString).toList();
    } catch (IOException error) {
      throw BAD_REQUEST.failure(error, "'%s' is no jar: %s.", jar, error.getMessage());
    }
  }

  /** The class of this name, loaded and not begun. Throws Failure, which says what to do. */
  Class<?> load(String name) {
    try {
      return Class.forName(name, false, new URLClassLoader(urls(), new Interfaces()));
    } catch (ClassNotFoundException error) {
      throw BAD_REQUEST.failure(
          error, "There is no class '%s' in '%s'%s.", name, text, instead(name));
    } catch (LinkageError error) {
      throw BAD_REQUEST.failure(error, "The class '%s' %s.", name, why(error));
    }
  }

  /** Why a class is not loaded, or does not begin, behind its name. */
  static String why(LinkageError error) {
    if (error instanceof UnsupportedClassVersionError) {
      return newer(error.getMessage());
    }
    if (error instanceof NoClassDefFoundError) {
      return lacking(error.getMessage());
    }
    return "cannot be loaded: " + error;
  }

  private URL[] urls() {
    return entries.stream()
        .map(
            entry -> {
              try {
                return entry.toUri().toURL();
              } catch (MalformedURLException impossible) {
                throw new IllegalStateException(impossible);
              }
            })
        .toArray(URL[]::new);
  }

  /** The classes of the same simple name, or else some that there are. */
  private String instead(String name) {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    List<String> all =
        entries.stream()
            .flatMap(entry -> in(entry).stream())
            .filter(file -> file.endsWith(".class") && !file.contains("-info.class"))
            .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
            .sorted()
            .toList();
    List<String> alike =
        all.stream().filter(one -> ("." + one).endsWith("." + simple)).limit(MOST_TOLD).toList();
    List<String> named = alike.isEmpty() ? all.stream().limit(MOST_TOLD).toList() : alike;
    String more = alike.isEmpty() && all.size() > MOST_TOLD ? ", ..." : "";
    return named.isEmpty() ? ", nor any other" : ". There is " + String.join(", ", named) + more;
  }

  private static String newer(String said) {
    Matcher versions = VERSIONS.matcher(said);
    if (!versions.find()) {
      return "cannot be loaded: " + said;
    }
    int needed = Integer.parseInt(versions.group(1)) - BEFORE_JAVA;
    int here = Integer.parseInt(versions.group(2)) - BEFORE_JAVA;
    return String.format(
        "was compiled for Java %d, and this is Java %d: compile it with --release %d, or measure"
            + " with --runtime java-%d",
        needed, here, here, needed);
  }

  private static String lacking(String said) {
    Matcher other = OTHER_NAME.matcher(said);
    return other.find()
        ? String.format(
            "is '%s': name it so, and the folder in which its package begins",
            other.group(1).replace('/', '.'))
        : String.format(
            "needs the class '%s', which is not in its class path: add the jar that has it, as in"
                + " a.jar:b.jar:CLASS",
            said.replace('/', '.'));
  }

  /** What the user's classes see besides their own: Java's, and the interfaces to implement. */
  private static final class Interfaces extends ClassLoader {
    private static final String PACKAGE = threadping.Signal.class.getPackageName();

    Interfaces() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.lastIndexOf('.') == PACKAGE.length() && name.startsWith(PACKAGE)) {
        return ClassPath.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
