package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.entry.FileOpenings;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.LeaseRenewer;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CreateReply;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** Opens readers and writers, which share this client's connections and threads. Safe for use by many threads. */
public final class FileStreams implements AutoCloseable {
    private final Metadata metadata;
    private final BlockClient blocks;
    private final ClientSettings settings;
    private final LeaseRenewer leases;
    private final FileLocator locator;
    private final VectoredReads vectored;
    private final ReadPlanner planner;

    /** Whether the file that was ended last had blocks: the next one made is likely to be of its kind. */
    private final AtomicBoolean lastHadBlocks = new AtomicBoolean();

    /** What streams ask of the metadata service. */
    public record Metadata(MetadataCaller caller, EntryReader entries, FileOpenings openings, BlockServers servers) {}

    public FileStreams(Metadata metadata, BlockClient blocks, ClientSettings settings) {
        this.metadata = metadata;
        this.blocks = blocks;
        this.settings = settings;
        this.leases = new LeaseRenewer(metadata.caller(), settings.leaseRenewal());
        this.locator = new FileLocator(metadata.entries(), metadata.servers(), blocks);
        this.planner = new ReadPlanner(locator, metadata.entries());
        this.vectored = new VectoredReads(
                settings.vectoredThreads(), settings.vectoredGapBytes(), settings.vectoredRunBytesMax());
    }

    /** @see io.tatami.client.TatamiClient#create */
    public FileWriter create(TatamiPath path, CreateSpec spec) throws TatamiException {
        CreateSpec full = spec.withReplication(spec.replication() > 0 ? spec.replication() : settings.replication())
                .withBlockSizeBytes(spec.blockSizeBytes() > 0 ? spec.blockSizeBytes() : settings.blockSizeBytes());
        CreateReply created = metadata.openings().create(path, full, lastHadBlocks.get());
        return FileWriter.create(parts(created.getStatus().getId(), 0), created);
    }

    /** @see io.tatami.client.TatamiClient#append */
    public FileWriter append(TatamiPath path, boolean newBlock) throws TatamiException {
        AppendReply opened = metadata.openings().append(path, newBlock);
        return FileWriter.append(parts(opened.getStatus().getId(), opened.getRecoveryId()), opened);
    }

    /** @see io.tatami.client.TatamiClient#open(TatamiPath, ReadPolicy) */
    public FileReader open(TatamiPath path, ReadPolicy policy) throws TatamiException {
        return reader(metadata.entries().file(path, true), policy);
    }

    /** @see io.tatami.client.TatamiClient#open(FileId, TatamiPath, ReadPolicy) */
    public FileReader open(FileId file, TatamiPath path, ReadPolicy policy) throws TatamiException {
        return reader(metadata.entries().file(file, path), policy);
    }

    /** @see io.tatami.client.TatamiClient#prefetch */
    public Prefetch prefetch(AccessPlan plan) throws TatamiException {
        return planner.plan(plan);
    }

    /** @see io.tatami.client.TatamiClient#stagedCopies */
    public Map<BlockId, Set<ServerId>> stagedCopies(List<LocatedBlock> blocks) throws TatamiException {
        return new StagedCopies(locator).of(blocks);
    }

    /** @see io.tatami.client.TatamiClient#listWithCopies */
    public StagedListing withCopies(DirectoryListing listing) {
        return new StagedListing(listing, new StagedCopies(locator));
    }

    /** @see io.tatami.client.TatamiClient#prefetch(UUID) */
    public Prefetch prefetch(UUID plan) {
        return planner.of(plan);
    }

    /** @see io.tatami.client.TatamiClient#checksum */
    public FileChecksum checksum(TatamiPath path, long lengthBytesMax) throws TatamiException {
        try (FileReader reader = reader(metadata.entries().file(path, false), ReadPolicy.RANDOM)) {
            return new ChecksumReader(locator).checksum(reader, lengthBytesMax);
        }
    }

    /** Open writers are told that the client is closed; readers fail at their next request. */
    @Override
    public void close() {
        leases.close();
        vectored.close();
    }

    private FileReader reader(PathStatus status, ReadPolicy policy) throws TatamiException {
        return new FileReader(
                locator, locator.content(status), vectored, new ReadAheadWindow(settings.readAheadBytes(), policy));
    }

    private FileWriter.Parts parts(long file, long recoveryId) {
        FileHome home = new FileHome(metadata.caller(), metadata.servers(), new FileId(file), recoveryId);
        return new FileWriter.Parts(home, blocks, leases, settings.inlineBytesMax(), lastHadBlocks);
    }
}
