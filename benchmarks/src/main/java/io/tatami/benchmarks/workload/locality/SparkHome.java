package io.tatami.benchmarks.workload.locality;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * A directory that Spark's own programs take for an installation: {@code jars}, links to Spark's and to Tatami's for
 * Hadoop, and {@code conf}. Spark is no dependency of the benchmarks: a file names its jars.
 *
 * @param directory to be {@code SPARK_HOME}
 */
record SparkHome(Path directory) {
    private static final String COMMAND = "./mvnw -f compatibility/spark-3.5/pom.xml pre-integration-test";

    /** Hadoop reads hdfs-default.xml after core-site.xml, and what is in that one alone would be overridden. */
    private static final List<String> SITES = List.of("core-site.xml", "hdfs-site.xml");

    /**
     * The jars that a file names.
     *
     * @param classPath as Maven's {@code dependency:build-classpath} writes it
     * @throws TatamiException NOT_FOUND where the file or a jar is not there; the message has the command that makes it
     */
    static List<Path> jars(Path classPath) throws IOException {
        if (!Files.isRegularFile(classPath)) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND,
                    "there is no class path of Spark in " + classPath + "; make it in the source tree: " + COMMAND
                            + ", and name it by --spark where it is elsewhere");
        }
        List<Path> jars = Stream.of(Files.readString(classPath).strip().split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
        for (Path jar : jars) {
            if (!Files.isRegularFile(jar)) {
                throw new TatamiException(
                        ErrorCode.NOT_FOUND,
                        classPath + " names " + jar + ", which is not there; make it anew: " + COMMAND);
            }
        }
        return jars;
    }

    /**
     * Tatami's jar for Hadoop in a distribution: Spark has another Hadoop beside it than this program.
     *
     * @param distribution the directory of one
     * @throws TatamiException NOT_FOUND
     */
    static Path plugin(Path distribution) throws IOException {
        Path directory = distribution.resolve("hadoop");
        if (Files.isDirectory(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    if (file.getFileName().toString().matches("tatami-hadoop-.*\\.jar")) {
                        return file;
                    }
                }
            }
        }
        throw new TatamiException(
                ErrorCode.NOT_FOUND,
                "there is no tatami-hadoop jar in " + directory
                        + "; ./mvnw package -DskipTests makes it, and bin/tatami names its directory");
    }

    /** @param site what programs of Hadoop read there, without Hadoop's defaults */
    void make(List<Path> jars, Configuration site) throws IOException {
        Path links = Files.createDirectories(directory.resolve("jars"));
        for (Path jar : jars) {
            Files.createSymbolicLink(links.resolve(jar.getFileName()), jar.toAbsolutePath());
        }
        Files.createDirectories(configuration());
        for (String name : SITES) {
            try (OutputStream out = Files.newOutputStream(configuration().resolve(name))) {
                site.writeXml(out);
            }
        }
    }

    Path configuration() {
        return directory.resolve("conf");
    }

    /** For Java, with the configuration first. */
    String classPath() {
        return configuration() + File.pathSeparator + directory.resolve("jars") + "/*";
    }
}
