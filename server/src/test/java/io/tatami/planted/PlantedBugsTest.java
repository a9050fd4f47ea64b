package io.tatami.planted;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the suite can fail: compiles our sources with one bug planted, puts that in front of the class path of a
 * JVM of its own, and runs there the test that must catch it. The same test passes without the bug in every
 * {@code verify}.
 */
@Tag("planted")
final class PlantedBugsTest {
    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @EnumSource
    void plantedBugIsCaught(PlantedBug bug) throws Exception {
        requireRootFor(bug.detector());
        compile(bug);
        Path output = directory.resolve("output");
        int code = run(bug.detector(), output);
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertEquals(Detector.CAUGHT, code, () -> bug + " was not caught by " + bug.detector() + ": " + lines);
        lines.stream()
                .filter(line -> line.startsWith(Detector.SAYS))
                .findFirst()
                .ifPresent(line -> System.out.println("caught " + bug + " by " + bug.detector() + ": " + line));
    }

    /** Else any failure would count as a catch. */
    @ParameterizedTest
    @MethodSource("detectors")
    void detectorPassesWithoutABug(String detector) throws Exception {
        requireRootFor(detector);
        Path output = directory.resolve("output");
        assertEquals(Detector.PASSED, run(detector, output), () -> detector + " fails without a bug");
    }

    static Set<String> detectors() {
        return Arrays.stream(PlantedBug.values())
                .map(PlantedBug::detector)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void requireRootFor(String detector) {
        Assumptions.assumeTrue(
                Stream.of("LiveCopyTest", "LogOnDeviceTest").noneMatch(detector::contains)
                        || "root".equals(System.getProperty("user.name")),
                "mounting a file system needs root");
    }

    private void compile(PlantedBug bug) throws IOException {
        Path planted = directory.resolve("sources").resolve(bug.source());
        Files.createDirectories(planted.getParent());
        Files.writeString(planted, bug.plantIn(Files.readString(bug.source())));
        Files.createDirectories(classes());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-proc:none",
                    "--release",
                    "17",
                    "-nowarn",
                    "-d",
                    classes().toString(),
                    "-cp",
                    System.getProperty("java.class.path"));
            boolean done = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(planted))
                    .call();
            if (!done) {
                throw new AssertionError(bug + " does not compile: " + messages);
            }
        }
    }

    private int run(String detector, Path output) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx640m",
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-Dtatami.test.seed=1",
                "-cp",
                classes() + File.pathSeparator + System.getProperty("java.class.path"),
                Detector.class.getName(),
                detector));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
    }

    private Path classes() {
        return directory.resolve("classes");
    }
}
