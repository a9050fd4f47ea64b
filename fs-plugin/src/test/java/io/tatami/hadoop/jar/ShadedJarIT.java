package io.tatami.hadoop.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.hadoop.TatamiCluster;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jar alone beside the jars of a Hadoop, in a JVM of its own, against a server: nothing else, and no warning. */
class ShadedJarIT {
    private static final long RUN_SECONDS_MAX = 120;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void everyClassOfTheJarIsOurs() throws IOException {
        try (JarFile jar = new JarFile(jar().toFile())) {
            List<String> others = jar.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .filter(name ->
                            !name.replaceFirst("^META-INF/versions/\\d+/", "").startsWith("io/tatami/"))
                    .toList();
            assertEquals(List.of(), others);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "hadoop-3.5, false, java.io.IOException",
        "hadoop-3.5, true, org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
        "hadoop-3.4, false, java.io.IOException",
        "hadoop-3.4, true, org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException"
    })
    void programRunsWithoutWarning(String hadoop, boolean withHdfsClient, String conflict) throws Exception {
        String printed = run(hadoop, withHdfsClient);
        assertEquals(
                "the second writer met " + conflict + "\n" + UserProgram.DONE
                        + jar().toUri().toURL() + "\n",
                printed);
    }

    private String run(String hadoop, boolean withHdfsClient) throws IOException, InterruptedException {
        Path printed = directory.resolve("printed");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        classPath(hadoop, withHdfsClient),
                        UserProgram.class.getName(),
                        TatamiCluster.shared().uri().toString(),
                        "/jar/" + hadoop + "-" + withHdfsClient)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertTrue(process.waitFor(RUN_SECONDS_MAX, TimeUnit.SECONDS), "the program did not end");
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(printed);
    }

    private String classPath(String hadoop, boolean withHdfsClient) throws IOException {
        Path told = Path.of("..", "compatibility", hadoop, "target", "classpath");
        assertTrue(Files.exists(told), () -> told + " is not there; ./mvnw verify makes it");
        String jars = Stream.of(Files.readString(told).split(File.pathSeparator, -1))
                .filter(file -> withHdfsClient
                        || !Path.of(file).getFileName().toString().startsWith("hadoop-hdfs-client-"))
                .collect(Collectors.joining(File.pathSeparator));
        return String.join(File.pathSeparator, program().toString(), jar().toString(), jars);
    }

    /** The program's class alone, and what a Hadoop installation says about logging. */
    private Path program() throws IOException {
        String name = UserProgram.class.getName().replace('.', '/') + ".class";
        Path file = directory.resolve("program").resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        try (var in = Objects.requireNonNull(UserProgram.class.getClassLoader().getResourceAsStream(name))) {
            Files.copy(in, file);
        }
        Files.writeString(directory.resolve("program").resolve("log4j.properties"), """
                log4j.rootLogger=WARN, out
                log4j.appender.out=org.apache.log4j.ConsoleAppender
                log4j.appender.out.layout=org.apache.log4j.SimpleLayout
                log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
                """);
        return directory.resolve("program");
    }

    /** The one that was packaged with the classes of this test. */
    private static Path jar() throws IOException {
        Path target;
        try {
            target = Objects.requireNonNull(Path.of(ShadedJarIT.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .getParent());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(file -> file.getFileName().toString().matches("tatami-hadoop-[\\d.]+\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("there is no jar in " + target + "; ./mvnw package makes it"));
        }
    }
}
