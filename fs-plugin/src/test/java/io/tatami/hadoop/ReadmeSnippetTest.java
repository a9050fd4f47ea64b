package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
        String readme = Files.readString(java.nio.file.Path.of("..", "README.md"));
        String snippet = SNIPPET.matcher(readme)
                .results()
                .map(match -> match.group(1))
                .filter(xml -> xml.contains("fs.AbstractFileSystem.tatami.impl"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("README.md has no core-site.xml"));
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
