package io.tatami.benchmarks.harness.peer;

import io.tatami.base.DirectoryId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.Placement;
import java.io.IOException;

/** Directories whose files lie in one shard that is known. */
public final class TatamiDirectories {
    private TatamiDirectories() {}

    /**
     * Makes a directory for everybody to write to, and its parents.
     *
     * @param shards of the cluster, which gives new directories a spread of 1
     * @return the shard of its files: chance
     */
    public static int make(TatamiClient client, TatamiPath path, int shards) throws IOException {
        client.mkdirs(path, CreateSpec.modes(0777, 0), true);
        DirectoryId id = new DirectoryId(client.status(path, true).id());
        return Placement.firstShardOf(id, shards);
    }
}
