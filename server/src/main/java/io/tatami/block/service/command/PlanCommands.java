package io.tatami.block.service.command;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.block.cache.CacheTier;
import io.tatami.block.cache.PlanId;
import io.tatami.block.cache.PlanOrigin;
import io.tatami.block.cache.PlanProgress;
import io.tatami.block.cache.PlanSettings;
import io.tatami.block.cache.PlannedRange;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.ServerContext;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AnnouncedPlan;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.CachedPlan;
import io.tatami.protocol.wire.CancelPlanReply;
import io.tatami.protocol.wire.CancelPlanRequest;
import io.tatami.protocol.wire.PlanReadsRequest;
import io.tatami.protocol.wire.PlanStatusReply;
import io.tatami.protocol.wire.PlanStatusRequest;
import io.tatami.protocol.wire.StagedBlocksReply;
import io.tatami.protocol.wire.StagedBlocksRequest;
import io.tatami.rpc.HandlerTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes access plans for the cache tier, where the server has one. */
public final class PlanCommands {
    private static final int PLANS_TOLD_MAX = 100;

    private final @Nullable CacheTier tier;
    private final BlockServerMetrics metrics;

    public PlanCommands(@Nullable CacheTier tier, BlockServerMetrics metrics) {
        this.tier = tier;
        this.metrics = metrics;
    }

    public void serveOn(HandlerTable table, BlockCommands commands) {
        commands.serveUser(table, BlockMethods.PLAN_READS, this::plan);
        commands.serve(table, BlockMethods.PLAN_STATUS, this::status);
        commands.serve(table, BlockMethods.CANCEL_PLAN, this::cancel);
        commands.serve(table, BlockMethods.STAGED_BLOCKS, this::staged);
    }

    private PlanStatusReply plan(UserIdentity user, PlanReadsRequest request) throws TatamiException {
        PlanId id = id(request.getPlanId());
        if (request.getWindowBytes() < 0 || request.getKeepMillis() <= 0 || request.getAlready() < 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "plan " + id + " has a negative window or no lifetime");
        }
        List<PlannedRange> ranges = new ArrayList<>(request.getRangeCount());
        for (io.tatami.protocol.wire.PlannedRange range : request.getRangeList()) {
            ranges.add(range(range));
        }
        PlanSettings settings = new PlanSettings(
                request.getReleaseAfterRead(),
                request.getWindowBytes(),
                TimeUnit.MILLISECONDS.toNanos(request.getKeepMillis()),
                new PlanOrigin(user.user(), request.getAbout()));
        return reply(requireTier().plan(id, settings, request.getAlready(), ranges));
    }

    private static PlannedRange range(io.tatami.protocol.wire.PlannedRange range) throws TatamiException {
        BlockId block = ServerContext.blockId(range.getBlockId());
        if (range.getOffset() < 0 || range.getLength() <= 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    range.getLength() + " bytes at " + range.getOffset() + " of " + block + " are not a valid range");
        }
        return new PlannedRange(
                block, ServerContext.generation(range.getGeneration()), range.getOffset(), range.getLength());
    }

    private PlanStatusReply status(PlanStatusRequest request) throws TatamiException {
        return reply(requireTier().progress(id(request.getPlanId())));
    }

    private CancelPlanReply cancel(CancelPlanRequest request) throws TatamiException {
        PlanId id = id(request.getPlanId());
        if (tier != null) {
            tier.cancel(id);
        }
        return CancelPlanReply.getDefaultInstance();
    }

    private StagedBlocksReply staged(StagedBlocksRequest request) throws TatamiException {
        StagedBlocksReply.Builder reply = StagedBlocksReply.newBuilder();
        for (long id : request.getBlockIdList()) {
            BlockId block = ServerContext.blockId(id);
            reply.addStagedBytes(requireTier().stagedBytes(block));
            reply.addPlannedBytes(requireTier().plannedBytes(block));
        }
        return reply.build();
    }

    private CacheTier requireTier() throws TatamiException {
        if (tier == null) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "this block server has no cache tier; start it with --cache to give it one");
        }
        return tier;
    }

    private static PlanId id(ByteString bytes) throws TatamiException {
        if (bytes.size() != UuidBytes.LENGTH) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "a plan's id has 16 bytes, not " + bytes.size());
        }
        return new PlanId(UuidBytes.get(bytes.asReadOnlyByteBuffer()));
    }

    private static PlanStatusReply reply(PlanProgress progress) {
        return PlanStatusReply.newBuilder()
                .setPlannedBytes(progress.plannedBytes())
                .setRemainingBytes(progress.remainingBytes())
                .setWaitingBytes(progress.waitingBytes())
                .setReadBytes(progress.readBytes())
                .setLateBytes(progress.lateBytes())
                .setFailedBytes(progress.failedBytes())
                .build();
    }

    private static List<CachedPlan> newest(CacheTier tier) {
        List<CachedPlan> told = new ArrayList<>();
        tier.newest(PLANS_TOLD_MAX)
                .forEach((plan, progress) -> told.add(CachedPlan.newBuilder()
                        .setMark(mark(plan))
                        .setProgress(reply(progress))
                        .build()));
        return told;
    }

    private static int mark(PlanId plan) {
        return (int) (plan.value().getMostSignificantBits() >>> Integer.SIZE);
    }

    /** Of the newest plans, those that a user announced, or all where that is null; none where there is no tier. */
    public List<AnnouncedPlan> announced(@Nullable String user) {
        List<AnnouncedPlan> told = new ArrayList<>();
        if (tier != null) {
            tier.newestOrigins(PLANS_TOLD_MAX).forEach((plan, origin) -> {
                if (user == null || user.equals(origin.user())) {
                    told.add(AnnouncedPlan.newBuilder()
                            .setMark(mark(plan))
                            .setUser(origin.user())
                            .setAbout(origin.about())
                            .build());
                }
            });
        }
        return told;
    }

    /** Empty where there is no tier. */
    public Optional<CacheStatus> cacheStatus() {
        if (tier == null) {
            return Optional.empty();
        }
        CacheTier.Status status = tier.status();
        return Optional.of(CacheStatus.newBuilder()
                .setPath(status.device())
                .setCapacityBytes(status.capacityBytes())
                .setUsedBytes(status.usedBytes())
                .setBytesPlanned(status.plannedBytes())
                .setBytesStaged(status.stagedBytes())
                .setBytesReadStaged(metrics.stagedReadBytes())
                .setBytesReadLate(metrics.lateReadBytes())
                .setDamagedCopies(status.damagedCopies())
                .setPlans(status.plans())
                .setFailure(status.failure())
                .setHangs(status.hangs())
                .addAllPlan(newest(tier))
                .build());
    }
}
