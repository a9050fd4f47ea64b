package io.tatami.hadoop.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.Status;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StatusConverterTest {
    private static final List<String> PATHS = List.of(
            "/",
            "/a/s1",
            "/a b/ü%20x/#?;&=+@c",
            "/a/{x}[y]|\\^~`\"<>",
            "/a:b",
            "/\u0001\u00a0\u2028x/\ud83d\ude42",
            "/-._~!$'()*,",
            "/a/ ");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tatami://cluster",
                "tatami://127.0.0.1:8020",
                "tatami://a_b:99",
                "tatami://user@host:1",
                "tatami://[::1]:80",
                "tatami://a:1,b:2",
                "tatami:///"
            })
    void pathOfAStatusIsTheOneThatHadoopMakes(String text) throws Exception {
        URI uri = URI.create(text);
        StatusConverter converter = new StatusConverter(uri, false);
        for (String path : PATHS) {
            PathStatus status = new PathStatus(TatamiPath.of(path), Status.getDefaultInstance(), List.of());
            Path made = converter.status(status).getPath();
            Path expected = new Path(uri.getScheme(), uri.getAuthority(), path);
            assertEquals(expected, made);
            assertEquals(expected.hashCode(), made.hashCode());
            assertEquals(expected.toString(), made.toString());
            assertEquals(expected.getParent(), made.getParent());
            assertEquals(expected.toUri().toString(), made.toUri().toString());
            assertEquals(expected.toUri().getHost(), made.toUri().getHost());
            assertEquals(expected.toUri().getPort(), made.toUri().getPort());
        }
    }
}
