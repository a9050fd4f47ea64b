package io.tatami.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which cluster a command takes, of those that its words, the environment and the configuration name. */
final class NamedClusterTest {
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, String> files = new HashMap<>();

    private final NamedCluster named = new NamedCluster(
            environment::get,
            name -> files.containsKey(name)
                    ? new ByteArrayInputStream(files.getOrDefault(name, "").getBytes(StandardCharsets.UTF_8))
                    : null);

    private void configure(String file, String defaultFs) {
        files.put(
                file,
                "<configuration><property><name>fs.defaultFS</name><value>" + defaultFs
                        + "</value></property></configuration>");
    }

    @Test
    void wordsGoBeforeTheEnvironmentAndThatBeforeTheConfiguration() throws Exception {
        configure("core-site.xml", "tatami://core:1");
        assertEquals("core:1", named.address(null).authority());
        configure("tatami-site.xml", "tatami://site:1/");
        assertEquals("site:1", named.address(null).authority());
        environment.put("TATAMI_URI", " ");
        assertEquals("site:1", named.address(null).authority());
        environment.put("TATAMI_URI", "tatami://variable:1");
        assertEquals("variable:1", named.address(null).authority());
        assertEquals("word:1", named.address("tatami://word:1").authority());
    }

    @Test
    void otherFileSystemsAreNoCluster() {
        configure("core-site.xml", "hdfs://namenode:8020");
        TatamiException refused = assertThrows(TatamiException.class, () -> named.address(null));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).contains("set TATAMI_URI"), refused.toString());
    }
}
