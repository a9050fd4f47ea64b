package io.tatami.server.node;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.host.GroupMapping;
import io.tatami.meta.service.host.HostSurroundings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All of Tatami in one process: a metadata server with every group, and a block server. Opened and closed by one
 * thread.
 */
public final class StandaloneNode implements AutoCloseable {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final MetadataServer metadata;
    private final BlockNode block;
    private final String uri;
    private final CompletableFuture<String> ended;

    /**
     * Where a standalone server keeps what, and how it is reached.
     *
     * @param directory of all that is not on a volume
     * @param volumes devices or files; none for a file in the directory
     * @param capacityBytes of volume files that are made
     * @param host bound, and told to clients
     * @param port of the metadata server; 0 for any
     * @param shards of a new cluster
     * @param cache of the block server's cache tier; null for none
     */
    public record Setup(
            Path directory,
            List<Path> volumes,
            long capacityBytes,
            String host,
            int port,
            int shards,
            BlockNode.@Nullable CachePlace cache) {
        /** Without a cache tier. */
        public Setup(Path directory, List<Path> volumes, long capacityBytes, String host, int port, int shards) {
            this(directory, volumes, capacityBytes, host, port, shards, null);
        }
    }

    private StandaloneNode(Setup location, Settings settings, HostSurroundings around) throws TatamiException {
        DataDirectory directory = new DataDirectory(location.directory());
        directory.create();
        if (!Files.exists(directory.meta())) {
            directory.beginFirstStart();
        }
        try {
            metadata = MetadataServer.open(
                    new ServerLocation(directory.meta(), location.host(), location.port()),
                    NewCluster.onOneServer(location.shards()),
                    settings,
                    around);
            parts.push(metadata);
            CrashPoint.hit("standalone.open.metadata-serves");
            uri = "tatami://" + location.host() + ":" + metadata.address().getPort();
            block = BlockNode.open(
                    new BlockNode.Setup(
                            directory.block(),
                            location.volumes(),
                            location.capacityBytes(),
                            location.host(),
                            0,
                            location.cache(),
                            ""),
                    metadata.cluster(),
                    List.of(metadata.address()),
                    BlockServerSettings.from(settings),
                    new BlockNode.Watch(around.requests(), around.diagnostics()));
            parts.push(block);
            ended = metadata.ended().applyToEither(block.ended(), reason -> reason);
            CrashPoint.hit("standalone.open.block-server-joined");
            if (directory.isInFirstStart()) {
                InitialDirectories.await(uri, settings);
                CrashPoint.hit("standalone.format.directories-made");
                directory.endFirstStart();
            }
        } catch (TatamiException | RuntimeException e) {
            PartsCloser.closeAfter(parts, e);
            throw e;
        }
    }

    /** Opens what is in the directory, or makes a new cluster there; returns when it serves. */
    public static StandaloneNode open(Setup location, Settings settings, GroupMapping groups) throws TatamiException {
        return open(location, settings, HostSurroundings.of(groups, Clock.SYSTEM));
    }

    /** The same, watched by {@code around}. */
    public static StandaloneNode open(Setup location, Settings settings, HostSurroundings around)
            throws TatamiException {
        return new StandaloneNode(location, settings, around);
    }

    public MetadataServer metadata() {
        return metadata;
    }

    public BlockNode block() {
        return block;
    }

    public String uri() {
        return uri;
    }

    /** @see MetadataServer#ended */
    public CompletableFuture<String> ended() {
        return ended;
    }

    @Override
    public void close() throws TatamiException {
        PartsCloser.close(parts);
    }
}
