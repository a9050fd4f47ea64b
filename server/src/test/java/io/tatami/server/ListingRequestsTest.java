package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many shards a listing asks; a standalone node in this process, over sockets. */
final class ListingRequestsTest {
    private static final int SHARDS = 8;
    private static final int FILES = 50;
    private static final String ANSWERED = "meta.reply.before-send.";

    private final List<String> answered = new CopyOnWriteArrayList<>();

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @Test
    void aSmallDirectoryIsListedByOneRequestToOneShard(@TempDir Path directory) throws Exception {
        Settings settings = Settings.of(Map.of("tatami.directory.spread", "1"));
        StandaloneNode.Setup setup = new StandaloneNode.Setup(directory, List.of(), 64 << 20, "localhost", 0, SHARDS);
        try (StandaloneNode node = StandaloneNode.open(setup, settings, user -> List.of());
                TatamiClient client = TatamiClient.connect(
                        ClusterAddress.of(node.uri()).authority(),
                        UserIdentity.of(System.getProperty("user.name")),
                        Settings.of(Map.of()))) {
            TatamiPath small = TatamiPath.of("/small");
            client.mkdirs(small, CreateSpec.modes(0777, 0), true);
            for (int i = 0; i < FILES; i++) {
                client.create(small.child("f" + i), CreateSpec.DEFAULT).close();
            }

            CrashPoint.listen(this::note);
            assertEquals(FILES, client.list(small, false).toList().size());
            CrashPoint.listen(null);
        }
        List<String> listings =
                answered.stream().filter(method -> method.equals("shard.list")).toList();
        assertEquals(List.of("shard.list"), listings);
    }

    private void note(String point) {
        if (point.startsWith(ANSWERED)) {
            answered.add(point.substring(ANSWERED.length()));
        }
    }
}
