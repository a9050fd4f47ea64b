package io.tatami.benchmarks.workload.locality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken for Spark, and what is said where it is not there. */
final class SparkHomeTest {
    private static final String COMMAND = "./mvnw -f compatibility/spark-3.5/pom.xml pre-integration-test";

    @TempDir
    private Path directory;

    private Path file(String name) throws Exception {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, name);
    }

    @Test
    void missingClassPathIsRefusedWithTheCommandThatMakesIt() {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> SparkHome.jars(directory.resolve("classpath")));
        assertEquals(ErrorCode.NOT_FOUND, refused.code());
        assertTrue(refused.toString().contains(COMMAND), refused::toString);
    }

    @Test
    void classPathOfAJarThatIsGoneIsRefusedWithTheCommandThatMakesIt() throws Exception {
        Path classPath = Files.writeString(
                directory.resolve("classpath"), file("one.jar") + File.pathSeparator + directory.resolve("two.jar"));
        TatamiException refused = assertThrows(TatamiException.class, () -> SparkHome.jars(classPath));
        assertTrue(refused.toString().contains("two.jar"), refused::toString);
        assertTrue(refused.toString().contains(COMMAND), refused::toString);
    }

    @Test
    void jarForHadoopIsTheOneOfTheDistribution() throws Exception {
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(TatamiException.class, () -> SparkHome.plugin(directory))
                        .code());
        Path jar = file("hadoop/tatami-hadoop-0.1.0.jar");
        file("hadoop/README.txt");
        assertEquals(jar, SparkHome.plugin(directory));
    }

    @Test
    void homeHasLinksToTheJarsAndTheConfiguration() throws Exception {
        Path one = file("lib/one.jar");
        Path classPath = Files.writeString(directory.resolve("classpath"), one + "\n");
        Configuration site = new Configuration(false);
        site.set("fs.defaultFS", "tatami://node1:9480");
        SparkHome home = new SparkHome(directory.resolve("home"));

        home.make(SparkHome.jars(classPath), site);

        assertEquals("lib/one.jar", Files.readString(directory.resolve("home/jars/one.jar")));
        for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
            String text = Files.readString(home.configuration().resolve(name));
            assertTrue(text.contains("tatami://node1:9480"), text);
        }
        assertTrue(home.classPath().startsWith(home.configuration() + File.pathSeparator), home.classPath());
    }
}
