package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** The core-site.xml that the README tells users to write makes both of Hadoop's interfaces work. */
class ReadmeSnippetTest {
    private static final Pattern SNIPPET =
            Pattern.compile("```xml\n(<configuration>.*?</configuration>)\n```", Pattern.DOTALL);
    private static final Pattern ADDRESS = Pattern.compile("tatami://[^<]*");

    @Test
    void coreSiteOfTheReadmeIsEnough() throws IOException {
        useCluster(coreSiteOfTheReadme());
    }

    @Test
    void coreSiteInConfIsTheReadmes() throws IOException {
        String file = Files.readString(java.nio.file.Path.of("..", "conf", "hadoop", "core-site.xml"));
        assertEquals(
                coreSiteOfTheReadme(),
                file.substring(file.indexOf("<configuration>")).strip());
    }

    @Test
    void sparkDefaultsNameWhatTheReadmeNames() throws IOException {
        Configuration readme = read(coreSiteOfTheReadme());
        Map<String, String> spark = new TreeMap<>();
        for (String line : Files.readAllLines(java.nio.file.Path.of("..", "conf", "hadoop", "spark-defaults.conf"))) {
            if (line.startsWith("spark.hadoop.")) {
                String[] words = line.substring("spark.hadoop.".length()).split("\\s+", -1);
                spark.put(words[0], words[1]);
            }
        }
        assertEquals(readme.getValByRegex(".*"), spark);
    }

    /** With Spark's jars the service loader finds nothing, so the class must be named. */
    @Test
    void coreSiteOfTheReadmeNamesTheClass() throws IOException {
        assertEquals(
                TatamiFileSystem.class.getName(), read(coreSiteOfTheReadme()).get("fs.tatami.impl"));
    }

    private static Configuration read(String coreSite) {
        Configuration configuration = new Configuration(false);
        configuration.addResource(new ByteArrayInputStream(coreSite.getBytes(StandardCharsets.UTF_8)));
        return configuration;
    }

    private static String coreSiteOfTheReadme() throws IOException {
        String readme = Files.readString(java.nio.file.Path.of("..", "README.md"));
        return SNIPPET.matcher(readme)
                .results()
                .map(match -> match.group(1))
                .filter(xml -> xml.contains("fs.AbstractFileSystem.tatami.impl"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("README.md has no core-site.xml"));
    }

    private static void useCluster(String snippet) throws IOException {
        String here =
                ADDRESS.matcher(snippet).replaceAll(TatamiCluster.shared().uri().toString());
        Configuration configuration = new Configuration(false);
        configuration.addResource("core-default.xml");
        configuration.addResource(new ByteArrayInputStream(here.getBytes(StandardCharsets.UTF_8)));

        Path file = new Path("/tmp/ReadmeSnippetTest");
        try (FileSystem fs = FileSystem.newInstance(configuration)) {
            fs.create(file, true).close();
            assertTrue(FileContext.getFileContext(configuration).util().exists(file));
            assertEquals(TatamiCluster.shared().uri(), fs.getUri());
            assertTrue(fs.delete(file, false));
        }
    }
}
