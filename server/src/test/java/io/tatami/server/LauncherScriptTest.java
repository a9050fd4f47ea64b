package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.cli.option.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/tatami} before any Java of ours runs: which Java it takes, and what it says where that is none. */
final class LauncherScriptTest {
    private static final String SHELL = "/bin/sh";
    private static final List<String> TOOLS = List.of("dirname", "readlink", "sed", "head", "cat");

    @TempDir
    private Path directory = Path.of("");

    private Path tools;

    /** A distribution, whose jars are never reached, and the only commands on the PATH. */
    @BeforeEach
    void makeDistribution() throws IOException {
        Files.createDirectories(directory.resolve("bin"));
        Files.createDirectories(directory.resolve("lib"));
        Files.copy(script(), directory.resolve("bin/tatami"));
        tools = Files.createDirectories(directory.resolve("tools"));
        for (String tool : TOOLS) {
            String where = Files.exists(Path.of("/usr/bin", tool)) ? "/usr/bin/" : "/bin/";
            writeScript(tools.resolve(tool), "exec " + where + tool + " \"$@\"");
        }
    }

    private static Path writeScript(Path path, String text) throws IOException {
        Files.writeString(path, "#!" + SHELL + "\n" + text + "\n");
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path script() throws IOException {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("bin/tatami"))) {
                return at.resolve("bin/tatami");
            }
        }
        throw new IOException("bin/tatami is not above " + Path.of("").toAbsolutePath());
    }

    private void makeFakeJava(String in, String version) throws IOException {
        writeScript(
                Files.createDirectories(directory.resolve(in)).resolve("java"),
                "[ \"$1\" = -version ] && { echo '" + version + "' >&2; exit 0; }\necho \"ran $*\"");
    }

    private record Ended(int code, String output) {}

    private Ended run(Map<String, String> environment, String... words) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(SHELL, directory.resolve("bin/tatami").toString());
        builder.command().addAll(List.of(words));
        builder.environment().clear();
        builder.environment().put("PATH", tools.toString());
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private void assertRefused(Map<String, String> environment, String... why) throws Exception {
        Ended ended = run(environment, "status", "localhost");
        assertEquals(ExitCode.USAGE, ended.code(), ended::toString);
        for (String words : why) {
            assertTrue(ended.output().contains(words), () -> words + " is not in: " + ended);
        }
    }

    @Test
    void withoutAJavaItSaysWhatToInstall() throws Exception {
        assertRefused(Map.of(), "there is no java on the PATH", "JDK 17");
        assertRefused(Map.of("JAVA_HOME", "/no/where"), "JAVA_HOME is /no/where", "unset it");
    }

    @Test
    void anOldJavaIsRefusedAndANewOneIsRun() throws Exception {
        makeFakeJava("tools", "openjdk version \"11.0.2\" 2019-01-15");
        assertRefused(Map.of(), "is Java 11", "needs 17 or later", "JAVA_HOME");
        makeFakeJava("tools", "java version \"1.8.0_292\"");
        assertRefused(Map.of(), "is Java 1", "needs 17 or later");
        makeFakeJava("tools", "gibberish");
        assertRefused(Map.of(), "does not tell its version");
        makeFakeJava("home/bin", "openjdk version \"21\" 2023-09-19");
        Ended ran = run(
                Map.of("JAVA_HOME", directory.resolve("home").toString(), "TATAMI_OPTS", "-Da=b"),
                "stop",
                "--data",
                "x y");
        assertEquals(0, ran.code(), ran::toString);
        assertTrue(ran.output().contains("-Da=b"), ran::toString);
        assertTrue(ran.output().contains("io.tatami.launch.Tatami stop --data x y"), ran::toString);
    }

    /** The build waits until its follower looks a second time, and so has told what it saw the first time. */
    @Test
    void quickstartFromSourcesSaysFirstWhatComesAndThenHowFarTheBuildIs() throws Exception {
        Path looks = directory.resolve("looks");
        writeScript(tools.resolve("tail"), "echo >>'" + looks + "'\nPATH=/usr/bin:/bin exec tail \"$@\"");
        makeFakeJava("tools", "openjdk version \"21\" 2023-09-19");
        Files.delete(directory.resolve("lib"));
        Files.writeString(directory.resolve("pom.xml"), "<version>9.9</version>\n");
        writeScript(directory.resolve("mvnw"), """
                echo 'Downloaded from central: https://example.org/a.jar'
                echo '[INFO] Building Tatami client 9.9                           [9/12]'
                echo '[INFO] --- compiler:3.14.0:compile (default-compile) @ tatami-client ---'
                until [ "$(grep -c '' '%s')" -ge 3 ]; do sleep 0.1; done
                """.formatted(looks));

        Ended ended = run(Map.of("PATH", tools + ":/usr/bin:/bin"), "quickstart");

        assertEquals(ExitCode.DONE, ended.code(), ended::toString);
        List<String> lines = ended.output().lines().toList();
        assertTrue(lines.get(0).startsWith("Quickstart: starts a Tatami cluster"), ended::toString);
        assertTrue(lines.get(2).contains("about three minutes"), ended::toString);
        assertTrue(
                lines.stream()
                        .anyMatch(line -> line.endsWith("module 9 of 12, Tatami client, compile, 1 files downloaded")),
                ended::toString);
        Matcher hosts = Pattern.compile("-Dtatami.hosts=(\\S+)").matcher(ended.output());
        assertTrue(hosts.find(), ended::toString);
        Files.delete(Path.of(hosts.group(1)));
    }
}
