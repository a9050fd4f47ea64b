package io.tatami.hadoop;

import io.tatami.auth.HadoopGroups;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** A standalone node, a Hadoop program's file system on it, and further block servers, which a test starts and ends. */
final class GrowingCluster implements AutoCloseable {
    private static final long VOLUME_BYTES = 128L << 20;

    private final Path directory;
    private final Configuration hadoop = new Configuration();
    private final StandaloneNode node;
    private final FileSystem fs;

    /** @param directory of all volumes */
    GrowingCluster(Path directory) throws IOException {
        this.directory = directory;
        this.node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 1),
                new Settings(hadoop::get),
                new HadoopGroups(hadoop));
        hadoop.set("fs.defaultFS", node.uri());
        this.fs = FileSystem.newInstance(URI.create(node.uri()), hadoop);
    }

    Configuration hadoop() {
        return hadoop;
    }

    /** {@code tatami://host:port} */
    String uri() {
        return node.uri();
    }

    /** As the superuser; the caller's to close. */
    TatamiClient connect() throws IOException {
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        return TatamiClient.connect(URI.create(node.uri()).getAuthority(), user, Settings.defaults());
    }

    FileSystem fs() {
        return fs;
    }

    /** The second server, which has joined. */
    BlockNode startSecond() throws IOException {
        return start("second", "127.0.0.12");
    }

    /** The third server, which has joined; also once more, after an end, with what it had. */
    BlockNode startThird() throws IOException {
        return start("third", "127.0.0.13");
    }

    private BlockNode start(String name, String host) throws IOException {
        return JoinedBlockServer.open(directory.resolve(name), VOLUME_BYTES, host, URI.create(node.uri()));
    }

    @Override
    public void close() throws IOException {
        try {
            fs.close();
        } finally {
            node.close();
        }
    }
}
