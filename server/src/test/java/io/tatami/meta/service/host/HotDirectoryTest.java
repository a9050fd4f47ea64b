package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.GroupStatusReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two shards on two servers, and a directory that is divided for how often it changes, with few entries. */
final class HotDirectoryTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final String HOST = "127.0.0.1";

    @TempDir
    private Path directory = Path.of("");

    /** However many entries there are, they are no reason to divide a directory. */
    private final Settings settings =
            Settings.of(Map.of("tatami.directory.spread.rate", "20", "tatami.directory.spread.entries", "0"));

    @Test
    @Timeout(120)
    void aHotDirectoryIsDividedOverTwoServersAndShowsEachFileOnce() throws Exception {
        try (MetadataServer first = namespace();
                MetadataServer one = join("one", first, 0);
                MetadataServer other = join("other", first, 1);
                TatamiClient client = TatamiClient.connect(
                        HOST + ":" + first.address().getPort(), UserIdentity.of(SUPERUSER), Settings.defaults())) {
            TatamiPath hot = TatamiPath.of("/hot");
            client.mkdirs(hot, CreateSpec.modes(0777, 022), true);
            List<String> made = new ArrayList<>();
            while (!isDivided(client)) {
                for (int i = 0; i < 50; i++) {
                    String name = "f" + made.size();
                    client.create(hot.child(name), CreateSpec.DEFAULT).close();
                    made.add(name);
                }
            }
            assertNotEquals(one.address(), other.address());
            List<String> listed = client.list(hot, false).toList().stream()
                    .map(status -> status.path().name())
                    .toList();
            assertEquals(made.stream().sorted().toList(), listed);
        }
    }

    private MetadataServer namespace() throws Exception {
        return MetadataServer.open(
                new ServerLocation(directory.resolve("namespace"), HOST, 0),
                new NewCluster(2, List.of(GroupId.NAMESPACE)),
                settings,
                user -> List.of(),
                Clock.SYSTEM);
    }

    private MetadataServer join(String name, MetadataServer seed, int shard) throws Exception {
        return MetadataServer.join(
                new ServerLocation(directory.resolve(name), HOST, 0),
                List.of(seed.address()),
                List.of(shard),
                settings,
                user -> List.of(),
                Clock.SYSTEM);
    }

    /** Whether each of the two shards has some of its files; no others are there. */
    private static boolean isDivided(TatamiClient client) throws IOException {
        int shards = 0;
        for (GroupState group : client.cluster().status().groups()) {
            GroupStatusReply status = group.status();
            if (status != null && !group.group().equals(GroupId.NAMESPACE) && status.getFiles() > 0) {
                shards++;
            }
        }
        return shards == 2;
    }
}
