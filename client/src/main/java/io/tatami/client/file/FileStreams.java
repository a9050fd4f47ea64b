package io.tatami.client.file;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.file.write.FileHome;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.LeaseRenewer;
import io.tatami.client.meta.LeaseThreads;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.meta.ReadOrder;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.PathStatus;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CreateReply;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes readers and writers of what the metadata service answered; they share this client's connections and threads.
 * Safe for use by many threads.
 */
public final class FileStreams implements AutoCloseable {
    private final MetadataCaller caller;
    private final BlockServers servers;
    private final BlockClient blocks;
    private final ClientSettings settings;
    private final LeaseRenewer leases;
    private final OpenWriters resting;
    private final FileLocator locator;
    private final VectoredReads vectored;
    private final AccessPlanner planner;

    /**
     * Whether the last file that was closed had blocks. If so, the next {@code create} asks for a first block in the
     * same call.
     */
    private final AtomicBoolean lastHadBlocks = new AtomicBoolean();

    /** The parts of the metadata client that streams use. */
    public record Metadata(
            MetadataCaller caller,
            EntryReader entries,
            BlockServers servers,
            ReadOrder order,
            LeaseThreads leaseThreads) {}

    public FileStreams(Metadata metadata, BlockClient blocks, ClientSettings settings) {
        this.caller = metadata.caller();
        this.servers = metadata.servers();
        this.blocks = blocks;
        this.settings = settings;
        this.leases = new LeaseRenewer(caller, settings.leaseRenewal(), metadata.leaseThreads());
        this.resting = new OpenWriters(metadata.leaseThreads(), blocks.clock());
        this.locator = new FileLocator(metadata, blocks, settings.readHedge());
        this.planner = new AccessPlanner(locator, metadata.entries());
        this.vectored = new VectoredReads(
                settings.vectoredThreads(), settings.vectoredGapBytes(), settings.vectoredRunBytesMax());
    }

    /** Whether a file that is created now is likely to have blocks, so that its first one is asked for at once. */
    public boolean expectBlocks() {
        return lastHadBlocks.get();
    }

    /** The writer of a file that was just created. */
    public FileWriter writer(CreateReply created) {
        return FileWriter.create(parts(created.getStatus().getId(), 0), created);
    }

    /** The writer at the end of a file that was there. */
    public FileWriter writer(AppendReply opened) {
        return FileWriter.append(parts(opened.getStatus().getId(), opened.getRecoveryId()), opened);
    }

    /**
     * A reader of a file; of a block that is being written, its servers are asked how long it is.
     *
     * @param status with locations or inline bytes
     */
    public FileReader reader(PathStatus status, ReadPolicy policy) throws TatamiException {
        return new FileReader(
                locator,
                locator.content(status),
                vectored,
                new ReadAheadWindow(settings.readAheadBytes(), policy),
                caller.contexts().current());
    }

    /** @param status with locations or inline bytes */
    public FileChecksum checksum(PathStatus status, long lengthBytesMax) throws TatamiException {
        try (FileReader reader = reader(status, ReadPolicy.RANDOM)) {
            return new ChecksumReader(locator).checksum(reader, lengthBytesMax);
        }
    }

    public AccessPlanner planner() {
        return planner;
    }

    /** For one listing or question, and one thread. */
    public StagedCopies stagedCopies() {
        return new StagedCopies(locator);
    }

    /** Open writers fail as closed; readers fail at their next request. */
    @Override
    public void close() {
        leases.close();
        vectored.close();
    }

    private FileWriter.Parts parts(long file, long recoveryId) {
        FileHome home = new FileHome(caller, servers, new FileId(file), recoveryId);
        return new FileWriter.Parts(home, blocks, leases, resting, settings.inlineBytesMax(), lastHadBlocks);
    }
}
