package io.tatami.meta.service.file;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.op.cluster.GiveCredits;
import io.tatami.meta.op.file.CheckRead;
import io.tatami.meta.op.file.CreateSymlink;
import io.tatami.meta.op.file.GetBlocks;
import io.tatami.meta.op.file.ListEntries;
import io.tatami.meta.op.file.SetFileAttributes;
import io.tatami.meta.op.lease.RenewLeases;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.CommitLength;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.ConcatFiles;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.op.write.RenewBlock;
import io.tatami.meta.service.CheckedRead;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.GetBlocksReply;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.RenewLeasesReply;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.protocol.wire.TruncateReply;
import java.util.concurrent.CompletableFuture;

/**
 * Registers the methods of a shard that concern files: entries, blocks and leases. Each is served by one operation, or
 * by a flow that calls operations.
 */
public final class FileHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) throws TatamiException {
        new Registration(parts, FileSettings.from(parts.settings())).on(table);
    }

    /** The handlers of one shard. */
    private static final class Registration {
        private final PartContext<ShardState> parts;
        private final Group<ShardState> group;
        private final FileSettings settings;
        private final HandleCheck handles;
        private final LeaseMonitor monitor;
        private final LeaseTakeover takeover;
        private final FileFlows flows;
        private final BlockSeals seals;
        private final CreditWatch credits;
        private final CreateFile create;
        private final WriterCounts writers;
        private final AddBlocks addBlocks;
        private final GiveCredits giveCredits = new GiveCredits();
        private final RenewLeases renew = new RenewLeases();

        Registration(PartContext<ShardState> parts, FileSettings settings) {
            this.parts = parts;
            this.group = parts.group();
            this.settings = settings;
            this.handles = new HandleCheck(parts.signer());
            BlockRecovery blocks = new BlockRecovery(parts.peers());
            FileRecovery recovery = new FileRecovery(group, blocks, parts.clock());
            this.seals = new BlockSeals(group, blocks);
            this.monitor = new LeaseMonitor(group, recovery, parts.clock(), settings);
            this.takeover = new LeaseTakeover(monitor, recovery);
            this.flows = new FileFlows(parts, handles, recovery);
            this.credits = new CreditWatch(group.id(), parts.peers());
            this.writers = new WriterCounts(parts.clock());
            this.create = new CreateFile(handles, settings.limits(), writers);
            this.addBlocks = new AddBlocks(writers);
        }

        void on(GroupTable<ShardState> table) {
            CheckedRead<ShardState, GetBlocksRequest, GetBlocksReply> blocks = new CheckedRead<>(
                    group, GetBlocks.provenBy(handles.rights()), GetBlocks.allowed(), new ReadAccess(parts)::check);
            table.flow(MetaMethods.LOOKUP, flows::lookup)
                    .read(MetaMethods.LIST, new ListEntries(handles))
                    .around(MetaMethods.CREATE, (origin, request) -> takeover.watch(this::create, origin, request))
                    .around(MetaMethods.ADD_BLOCKS, this::addBlocks)
                    .write(MetaMethods.COMMIT_LENGTH, new CommitLength())
                    .write(MetaMethods.COMPLETE, new CompleteFile(settings.limits(), writers))
                    .around(MetaMethods.APPEND, (origin, request) -> takeover.watch(flows::append, origin, request))
                    .write(MetaMethods.RENEW_BLOCK, new RenewBlock(writers))
                    .flow(MetaMethods.SEAL_BLOCK, seals::seal)
                    .around(MetaMethods.GIVE_CREDITS, this::giveCredits)
                    .flow(MetaMethods.RENEW_LEASES, this::renewLeases)
                    .flow(MetaMethods.RECOVER_LEASE, flows::recoverLease)
                    .flow(MetaMethods.GET_BLOCKS, blocks)
                    .read(MetaMethods.CHECK_READ, new CheckRead())
                    .around(MetaMethods.TRUNCATE, flows::truncate)
                    .write(MetaMethods.CONCAT, new ConcatFiles(handles, settings.limits()))
                    .write(MetaMethods.SET_FILE_ATTRIBUTES, new SetFileAttributes(handles))
                    .write(MetaMethods.CREATE_SYMLINK, new CreateSymlink(handles))
                    .flow(MetaMethods.REOPEN_FILE, this::reopenFile)
                    .flow(MetaMethods.CUT_FILE, this::cutFile)
                    .flow(MetaMethods.RECOVER_FILE, flows::recoverFile)
                    .settle(WriterInDoubt.class, new WriterSettler(group, parts.peers()))
                    .settle(CreditsAwaited.class, credits)
                    .background("leases", "", monitor::run);
        }

        private CompletableFuture<CreateReply> create(RequestOrigin origin, CreateRequest request) {
            return group.submitOnce(MetaMethods.CREATE, create, origin, request).thenApply(reply -> {
                credits.granted(reply.getGrantList());
                return reply;
            });
        }

        private CompletableFuture<AddBlocksReply> addBlocks(RequestOrigin origin, AddBlocksRequest request) {
            return group.submitOnce(MetaMethods.ADD_BLOCKS, addBlocks, origin, request)
                    .thenApply(reply -> {
                        credits.granted(reply.getGrantList());
                        return reply;
                    });
        }

        private CompletableFuture<GiveCreditsReply> giveCredits(RequestOrigin origin, GiveCreditsRequest request) {
            // Not when the gift is in the log: writers that have ended meanwhile would count again.
            writers.told(request);
            return group.submitOnce(MetaMethods.GIVE_CREDITS, giveCredits, origin, request)
                    .thenApply(reply -> {
                        credits.given(request, reply);
                        return reply;
                    });
        }

        private CompletableFuture<RenewLeasesReply> renewLeases(RequestOrigin origin, RenewLeasesRequest request) {
            monitor.renewed(origin.session());
            return group.read(renew, origin, request);
        }

        private CompletableFuture<AppendReply> reopenFile(RequestOrigin origin, ReopenFileRequest request) {
            RequestOrigin client = FileFlows.onBehalf(origin, request.getSession(), request.getNumber());
            return takeover.watch(flows::reopen, client, request);
        }

        private CompletableFuture<TruncateReply> cutFile(RequestOrigin origin, CutFileRequest request) {
            return flows.cut(FileFlows.onBehalf(origin, request.getSession(), request.getNumber()), request);
        }
    }
}
