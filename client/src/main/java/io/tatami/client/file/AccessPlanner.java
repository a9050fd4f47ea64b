package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.meta.StagingChoice;
import io.tatami.client.model.AccessPlan;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.UnitSize;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.PlanReadsRequest;
import io.tatami.protocol.wire.PlanStatusReply;
import io.tatami.protocol.wire.PlannedRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Turns access plans into ranges of blocks, tells them to the servers that will be read, and asks these how far they
 * are. Servers know a plan by its id. Safe for use by many threads; calls wait for the servers.
 */
public final class AccessPlanner {
    /** How long a server may take to tell how full its tier is. */
    private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(1);

    private final FileLocator locator;
    private final EntryReader entries;

    AccessPlanner(FileLocator locator, EntryReader entries) {
        this.locator = locator;
        this.entries = entries;
    }

    /**
     * Plans all reads; what follows the last block of a file is left out. Where it throws, nothing stays planned.
     *
     * @return for each read the servers that stage blocks of it
     * @throws TatamiException what an open of the files throws; IO_ERROR and UNAVAILABLE of block servers; UNSUPPORTED
     *     where no server concerned has a cache tier
     */
    public List<Set<ServerId>> plan(AccessPlan plan) throws TatamiException {
        Call call = new Call(plan);
        try {
            for (AccessPlan.Read read : plan.reads()) {
                call.add(read);
            }
            return call.end();
        } catch (TatamiException e) {
            if (call.hasBegun()) {
                cancelAfter(plan.id(), e);
            }
            throw e;
        }
    }

    private void cancelAfter(UUID id, TatamiException reason) {
        try {
            cancel(id);
        } catch (TatamiException e) {
            reason.addSuppressed(e);
        }
    }

    /** @see io.tatami.client.TatamiClient#planProgress */
    public AccessPlan.Progress progress(UUID id) throws TatamiException {
        AccessPlan.Progress sum = null;
        TatamiException failure = null;
        for (SideBySide.Answer<ServerId, AccessPlan.Progress> answer :
                locator.ofServers(locator.servers().alive(), server -> progress(server, bytes(id)))) {
            AccessPlan.Progress one = answer.value();
            if (one != null) {
                sum = sum == null ? one : sum.plus(one);
            } else if (answer.failure() != null && !knowsNothing(answer.failure())) {
                failure = answer.failure();
            }
        }
        if (sum != null) {
            return sum;
        }
        throw failure != null
                ? failure.again()
                : new TatamiException(
                        ErrorCode.NOT_FOUND,
                        "no block server knows plan " + id
                                + "; it was cancelled, has expired, or the servers were restarted");
    }

    /**
     * Whether a block's server is chosen by how full the tiers are; readers ask for it then. Shorter blocks are staged
     * by the first server of the order, where readers look without a question.
     */
    static boolean isChosenByLoad(BlockExtent block) {
        return block.lengthBytes() >= UnitSize.BYTES;
    }

    private static boolean knowsNothing(TatamiException failure) {
        return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.UNSUPPORTED;
    }

    /** @see io.tatami.client.TatamiClient#cancelPlan */
    public void cancel(UUID id) throws TatamiException {
        for (SideBySide.Answer<ServerId, ServerId> answer :
                locator.ofServers(locator.servers().alive(), server -> cancel(server, bytes(id)))) {
            if (answer.failure() != null) {
                throw answer.failure().again();
            }
        }
    }

    private ServerId cancel(ServerId server, ByteString plan) throws TatamiException {
        locator.blocks().cancelPlan(locator.servers().target(server, locator.deadline()), plan);
        return server;
    }

    private static ByteString bytes(UUID id) {
        return ByteString.copyFrom(UuidBytes.of(id));
    }

    private AccessPlan.Progress progress(ServerId server, ByteString plan) throws TatamiException {
        PlanStatusReply reply = locator.blocks().planStatus(locator.servers().target(server, locator.deadline()), plan);
        return new AccessPlan.Progress(
                reply.getPlannedBytes(),
                reply.getRemainingBytes(),
                reply.getWaitingBytes(),
                reply.getReadBytes(),
                reply.getLateBytes(),
                reply.getFailedBytes());
    }

    /** What one server is to be told. */
    private static final class Share {
        final List<PlannedRange> ranges = new ArrayList<>();
        int sent;
        boolean hasNoTier;
    }

    /** One plan on its way to the servers. */
    private final class Call {
        private final AccessPlan plan;
        private final ByteString id;
        private final String about;
        private final Map<ServerId, Share> shares = new TreeMap<>();
        private final StagingChoice choice = new StagingChoice();

        /** The servers of blocks that may be read in several parts. */
        private final Map<BlockId, ServerId> chosen = new HashMap<>();

        /** For each read the servers that are to stage blocks of it. */
        private final List<Set<ServerId>> places = new ArrayList<>();

        Call(AccessPlan plan) {
            this.plan = plan;
            this.id = bytes(plan.id());
            this.about = plan.about();
        }

        void add(AccessPlan.Read read) throws TatamiException {
            FileContent content = locator.content(entries.file(read.path(), true));
            long end = read.lengthBytes() > content.lengthBytes() - read.offsetBytes()
                    ? content.lengthBytes()
                    : read.offsetBytes() + read.lengthBytes();
            List<BlockExtent> blocks = content.blocks().stream()
                    .filter(block -> !block.servers().isEmpty()
                            && Math.max(read.offsetBytes(), block.offsetBytes()) < Math.min(end, block.endBytes()))
                    .toList();
            learnTiers(blocks);
            Set<ServerId> servers = new TreeSet<>();
            for (BlockExtent block : blocks) {
                long from = Math.max(read.offsetBytes(), block.offsetBytes());
                long to = Math.min(end, block.endBytes());
                ServerId server = server(block, to - from);
                servers.add(server);
                add(server, block, from - block.offsetBytes(), to - from);
            }
            places.add(servers);
        }

        /** Asks the servers among which there is a choice how full their tiers are, each once. */
        private void learnTiers(List<BlockExtent> blocks) throws TatamiException {
            Set<ServerId> unknown = new TreeSet<>();
            for (BlockExtent block : blocks) {
                List<ServerId> stagers = locator.order().stagers(block.block(), block.servers());
                if (isChosenByLoad(block) && stagers.size() > 1) {
                    stagers.stream().filter(server -> !choice.knows(server)).forEach(unknown::add);
                }
            }
            for (SideBySide.Answer<ServerId, StagingChoice.Tier> answer :
                    SideBySide.ask(unknown, STATUS_TIMEOUT, this::tier)) {
                StagingChoice.Tier tier = answer.value();
                choice.learn(answer.target(), tier == null ? StagingChoice.Tier.NONE : tier);
            }
        }

        private StagingChoice.Tier tier(ServerId server) throws TatamiException {
            CacheStatus cache = locator.blocks()
                    .status(locator.servers().target(server, locator.deadline()), STATUS_TIMEOUT.toMillis())
                    .getCache();
            return cache.getFailure().isEmpty()
                    ? new StagingChoice.Tier(cache.getCapacityBytes(), cache.getBytesPlanned())
                    : StagingChoice.Tier.NONE;
        }

        /** The server that stages a block: the same for all its parts. */
        private ServerId server(BlockExtent block, long lengthBytes) {
            List<ServerId> stagers = locator.order().stagers(block.block(), block.servers());
            if (!isChosenByLoad(block) || stagers.size() == 1) {
                return stagers.get(0);
            }
            ServerId before = chosen.get(block.block());
            ServerId server = choice.choose(before == null ? stagers : List.of(before), lengthBytes);
            chosen.put(block.block(), server);
            return server;
        }

        private void add(ServerId server, BlockExtent block, long offset, long length) throws TatamiException {
            Share share = shares.computeIfAbsent(server, key -> new Share());
            share.ranges.add(PlannedRange.newBuilder()
                    .setBlockId(block.block().value())
                    .setGeneration(block.generation().value())
                    .setOffset(offset)
                    .setLength(length)
                    .build());
            if (share.ranges.size() == RequestLimits.PLANNED_RANGES) {
                send(server, share);
            }
        }

        private void send(ServerId server, Share share) throws TatamiException {
            PlanReadsRequest request = PlanReadsRequest.newBuilder()
                    .setPlanId(id)
                    .setAlready(share.sent)
                    .addAllRange(share.ranges)
                    .setReleaseAfterRead(plan.releaseAfterRead())
                    .setWindowBytes(plan.windowBytes())
                    .setKeepMillis(plan.keep().toMillis())
                    .setAbout(share.sent == 0 ? about : "")
                    .build();
            share.sent += share.ranges.size();
            share.ranges.clear();
            if (share.hasNoTier) {
                return;
            }
            BlockTarget target = locator.servers().target(server, locator.deadline());
            try {
                locator.blocks().planReads(target, request);
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.UNSUPPORTED) {
                    throw e;
                }
                share.hasNoTier = true;
            }
        }

        private Share sendRest(ServerId server) throws TatamiException {
            Share share = Objects.requireNonNull(shares.get(server));
            send(server, share);
            return share;
        }

        /** Whether some server may know the plan. */
        boolean hasBegun() {
            return shares.values().stream().anyMatch(share -> share.sent > 0);
        }

        List<Set<ServerId>> end() throws TatamiException {
            List<ServerId> left = shares.entrySet().stream()
                    .filter(share -> !share.getValue().ranges.isEmpty())
                    .map(Map.Entry::getKey)
                    .toList();
            for (SideBySide.Answer<ServerId, Share> answer : locator.ofServers(left, this::sendRest)) {
                if (answer.failure() != null) {
                    throw answer.failure().again();
                }
            }
            if (!shares.isEmpty() && shares.values().stream().allMatch(share -> share.hasNoTier)) {
                throw new TatamiException(
                        ErrorCode.UNSUPPORTED,
                        "none of the " + shares.size() + " block servers that hold these files has a cache tier; start"
                                + " them with --cache to give them one");
            }
            places.forEach(servers -> servers.removeIf(server -> Objects.requireNonNull(shares.get(server)).hasNoTier));
            return places;
        }
    }
}
