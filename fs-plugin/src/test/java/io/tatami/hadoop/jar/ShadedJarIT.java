package io.tatami.hadoop.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.hadoop.TatamiCluster;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
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
    /** In the order in which Hadoop got them. */
    private static final List<String> NEWER = List.of("readVectored", "recoverLease", "safe mode", "bulk delete");

    /** A library of the notice: group and artifact, version, licence, address. */
    private static final Pattern NOTICED =
            Pattern.compile("^- [^:\\s]+:(\\S+ \\S+), [^,\\s][^,]*.*, https?://.*$", Pattern.MULTILINE);

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

    @Test
    void noticeNamesEveryLibraryInTheJarWithItsLicence() throws IOException {
        try (JarFile jar = new JarFile(jar().toFile())) {
            String notice = text(jar, "META-INF/NOTICE");
            assertEquals(
                    ShadedLibraries.of(jar).artifacts(),
                    NOTICED.matcher(notice)
                            .results()
                            .map(line -> line.group(1))
                            .collect(Collectors.toCollection(TreeSet::new)),
                    notice);
            for (String within : ShadedLibraries.of(jar).within()) {
                assertTrue(notice.contains(within), () -> within + " is not in " + notice);
            }
            assertTrue(text(jar, "META-INF/LICENSE").contains("Apache License"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "hadoop-3.5, false, 4",
        "hadoop-3.5, true, 4",
        "hadoop-3.4, false, 4",
        "hadoop-3.4, true, 4",
        "hadoop-3.4.1, true, 4",
        "hadoop-3.4.0, true, 3",
        "hadoop-3.3.6, true, 3",
        "hadoop-3.3.4, true, 0",
        "hadoop-3.3.4, false, 0"
    })
    void programRunsWithNoOtherWarningThanOfTheClassItNames(String hadoop, boolean withHdfsClient, int newerInterfaces)
            throws Exception {
        String conflict =
                withHdfsClient ? "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException" : "java.io.IOException";
        String printed = run(UserProgram.class, hadoop, withHdfsClient);
        assertEquals(
                "the second writer met " + conflict + "\nbeyond 3.3.4: " + NEWER.subList(0, newerInterfaces) + "\n"
                        + warning(newerInterfaces)
                        + UserProgram.DONE + jar().toUri().toURL() + "\n",
                printed);
    }

    /** What a program that names the class by code is told, where Hadoop has more than that class. */
    private static String warning(int newerInterfaces) {
        return newerInterfaces == 0
                ? ""
                : "WARN - fs.tatami.impl is set to io.tatami.hadoop.TatamiFileSystem, which has none of the newer interfaces"
                        + " that this Hadoop has, such as LeaseRecoverable; HBase loses acknowledged rows without it. Remove"
                        + " the setting where the jar is on the class path, or set it to io.tatami.hadoop."
                        + (newerInterfaces == NEWER.size() ? "Bulk" : "Lease")
                        + "TatamiFileSystem\n";
    }

    @Test
    void hadoopThatIsTooOldKeepsItsFileSystemsAndTellsTheReleaseNeeded() throws Exception {
        assertEquals(
                "local: true\n"
                        + "Tatami needs Hadoop 3.3.4 or later, and this program has Hadoop 3.2.4 "
                        + "(there is no org.apache.hadoop.fs.EtagSource); replace Hadoop's jars\n",
                run(OldHadoopProgram.class, "hadoop-3.2", true));
    }

    private static String text(JarFile jar, String entry) throws IOException {
        try (InputStream in = jar.getInputStream(Objects.requireNonNull(jar.getEntry(entry), entry))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String run(Class<?> program, String hadoop, boolean withHdfsClient)
            throws IOException, InterruptedException {
        Path printed = directory.resolve("printed");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(hadoop, withHdfsClient),
                        program.getName(),
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
                .filter(file -> !isLeftOut(Path.of(file).getFileName().toString(), withHdfsClient))
                .collect(Collectors.joining(File.pathSeparator));
        return String.join(File.pathSeparator, program().toString(), jar().toString(), jars);
    }

    /** Before 3.4.1 Hadoop brings more than one logger behind SLF4J, which warns of that whatever else is there. */
    private static boolean isLeftOut(String jar, boolean withHdfsClient) {
        return jar.startsWith("slf4j-log4j12-")
                || jar.startsWith("logback-classic-")
                || (jar.startsWith("hadoop-hdfs-client-") && !withHdfsClient);
    }

    /** The classes of the programs alone, and what a Hadoop installation says about logging. */
    private Path program() throws IOException {
        Path classes = Objects.requireNonNull(
                target().resolve("test-classes/" + UserProgram.class.getName().replace('.', '/'))
                        .getParent());
        Path copies = directory
                .resolve("program")
                .resolve(target().resolve("test-classes").relativize(classes));
        Files.createDirectories(copies);
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                Files.copy(file, copies.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
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
        try (Stream<Path> files = Files.list(target())) {
            return files.filter(file -> file.getFileName().toString().matches("tatami-hadoop-[\\d.]+\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("there is no jar; ./mvnw package makes it"));
        }
    }

    private static Path target() throws IOException {
        try {
            return Objects.requireNonNull(Path.of(ShadedJarIT.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .getParent());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}
