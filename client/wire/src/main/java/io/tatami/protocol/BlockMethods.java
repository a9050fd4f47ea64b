package io.tatami.protocol;

import static io.tatami.protocol.Audience.SERVERS;
import static io.tatami.protocol.Audience.USERS;
import static io.tatami.protocol.Effect.FREES;
import static io.tatami.protocol.Effect.READS;
import static io.tatami.protocol.Effect.UPKEEP;
import static io.tatami.protocol.Effect.WRITES;

import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.BlockServerStatusRequest;
import io.tatami.protocol.wire.CancelPlanReply;
import io.tatami.protocol.wire.CancelPlanRequest;
import io.tatami.protocol.wire.ChangeVolumeReply;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.ChunkChecksumsReply;
import io.tatami.protocol.wire.ChunkChecksumsRequest;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.protocol.wire.MemoryMapped;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.PlanReadsRequest;
import io.tatami.protocol.wire.PlanStatusReply;
import io.tatami.protocol.wire.PlanStatusRequest;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.ShareMemoryReply;
import io.tatami.protocol.wire.ShareMemoryRequest;
import io.tatami.protocol.wire.StagedBlocksReply;
import io.tatami.protocol.wire.StagedBlocksRequest;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;

/**
 * The methods of a block server's data port. Numbers from 200 on. Audience and effect are declared here alone, and
 * {@code docs/protocol.md} lists them. A block server checks the audience; safe mode, for which there is the effect, is
 * a matter of the metadata servers.
 */
public final class BlockMethods {
    /**
     * Stores a block, or continues one, on this server and on those behind it. See {@code WriteBlockRequest}.
     *
     * <p>Fails with FENCED (a newer generation is here), ALREADY_EXISTS (no previous generation was named and a copy is
     * here), NO_SUCH_BLOCK (bytes are to be continued that are not here), NO_SPACE, CORRUPT (a frame failed its
     * checksum), IO_ERROR, BUSY (too many streams), DEADLINE_EXCEEDED (idle for too long) and UNAVAILABLE. The subject
     * is the server in the chain that failed.
     */
    public static final StreamMethod<WriteBlockRequest, WriteFrame, WriteAck, WriteBlockReply> WRITE_BLOCK =
            new StreamMethod<>(
                    200,
                    "block.write",
                    USERS,
                    WRITES,
                    WriteBlockRequest.parser(),
                    WriteFrame.parser(),
                    WriteAck.parser(),
                    WriteBlockReply.parser());

    /**
     * Sends a range of the bytes that readers may see. Fails with NO_SUCH_BLOCK, FENCED (the copy here is older than
     * the generation asked for), CORRUPT (naming the offset; or at once where only a sound copy was asked for and the
     * one here is known to be damaged), IO_ERROR (also where the block may be on a volume that was not opened), BUSY
     * and UNAVAILABLE.
     */
    public static final StreamMethod<ReadBlockRequest, ReadWindowUpdate, ReadFrame, ReadBlockReply> READ_BLOCK =
            new StreamMethod<>(
                    201,
                    "block.read",
                    USERS,
                    READS,
                    ReadBlockRequest.parser(),
                    ReadWindowUpdate.parser(),
                    ReadFrame.parser(),
                    ReadBlockReply.parser());

    /** Fails with NO_SUCH_BLOCK, or IO_ERROR where the block may be on a volume that was not opened. */
    public static final Method<BlockInfoRequest, BlockInfoReply> BLOCK_INFO =
            Method.idempotent(202, "block.info", USERS, READS, BlockInfoRequest.parser(), BlockInfoReply.parser());

    /** The stored checksums, without reading the data. Fails as {@link #READ_BLOCK}. */
    public static final Method<ChunkChecksumsRequest, ChunkChecksumsReply> CHUNK_CHECKSUMS = Method.idempotent(
            203, "block.chunk-checksums", USERS, READS, ChunkChecksumsRequest.parser(), ChunkChecksumsReply.parser());

    public static final Method<DeleteBlocksRequest, DeleteBlocksReply> DELETE_BLOCKS = Method.idempotent(
            205, "block.delete", SERVERS, FREES, DeleteBlocksRequest.parser(), DeleteBlocksReply.parser());

    /** Copies to be made here; each is made later, and reported by {@link MetaMethods#COPIES_MADE}. */
    public static final Method<PullBlocksRequest, PullBlocksReply> PULL_BLOCKS =
            Method.idempotent(218, "block.pull", SERVERS, WRITES, PullBlocksRequest.parser(), PullBlocksReply.parser());

    public static final Method<AuditRequest, AuditReply> AUDIT =
            Method.idempotent(206, "block.audit", SERVERS, READS, AuditRequest.parser(), AuditReply.parser());

    /** Answers with the status after the action. */
    public static final Method<ScrubRequest, BlockServerStatusReply> SCRUB = Method.idempotent(
            207, "block.scrub", USERS, UPKEEP, ScrubRequest.parser(), BlockServerStatusReply.parser());

    public static final Method<BlockServerStatusRequest, BlockServerStatusReply> BLOCK_SERVER_STATUS =
            Method.idempotent(
                    208,
                    "block.status",
                    USERS,
                    READS,
                    BlockServerStatusRequest.parser(),
                    BlockServerStatusReply.parser());

    /**
     * Says what will be read, so that it is staged. Fails with UNSUPPORTED (the server has no cache tier), IO_ERROR
     * (the tier has stopped), INVALID_ARGUMENT (ranges are missing between those known and these).
     */
    public static final Method<PlanReadsRequest, PlanStatusReply> PLAN_READS = Method.idempotent(
            209, "block.plan-reads", USERS, READS, PlanReadsRequest.parser(), PlanStatusReply.parser());

    /** Fails with NOT_FOUND where the plan is not known, or not any more, and with UNSUPPORTED. */
    public static final Method<PlanStatusRequest, PlanStatusReply> PLAN_STATUS = Method.idempotent(
            210, "block.plan-status", USERS, READS, PlanStatusRequest.parser(), PlanStatusReply.parser());

    /** What was staged and not read is dropped; nothing happens where the plan is not known. */
    public static final Method<CancelPlanRequest, CancelPlanReply> CANCEL_PLAN = Method.idempotent(
            211, "block.cancel-plan", USERS, READS, CancelPlanRequest.parser(), CancelPlanReply.parser());

    /** What of some blocks is on the cache tier now. Fails with UNSUPPORTED. */
    public static final Method<StagedBlocksRequest, StagedBlocksReply> STAGED_BLOCKS = Method.idempotent(
            212, "block.staged", USERS, READS, StagedBlocksRequest.parser(), StagedBlocksReply.parser());

    /**
     * Memory for {@link #READ_BLOCK}, for clients on the server's host. Fails with UNSUPPORTED (the client is
     * elsewhere, or the server shares none), BUSY (all that it shares is lent), NO_SPACE and MALFORMED.
     */
    public static final StreamMethod<ShareMemoryRequest, MemoryMapped, MemoryOffer, ShareMemoryReply> SHARE_MEMORY =
            new StreamMethod<>(
                    213,
                    "block.share-memory",
                    USERS,
                    READS,
                    ShareMemoryRequest.parser(),
                    MemoryMapped.parser(),
                    MemoryOffer.parser(),
                    ShareMemoryReply.parser());

    /** From a shard. Without effect on a server that has not joined its cluster yet. */
    public static final Method<CreditsLowRequest, Empty> CREDITS_LOW =
            Method.idempotent(214, "block.credits-low", SERVERS, UPKEEP, CreditsLowRequest.parser(), Empty.parser());

    /**
     * A reader's word that a chunk failed its checksum, on which the server reads it again. Answered before that. Fails
     * with BUSY (too many reports wait), MALFORMED and UNAVAILABLE.
     */
    public static final Method<ReportDamageRequest, Empty> REPORT_DAMAGE =
            Method.idempotent(215, "block.report-damage", USERS, UPKEEP, ReportDamageRequest.parser(), Empty.parser());

    /**
     * The first step of a recovery: older writers and recoveries are refused from now on, durably; nothing changes of
     * the bytes. Fails with FENCED (a higher generation was promised), IO_ERROR (also where the block is not found and
     * a volume does not serve that may have it) and MALFORMED.
     */
    public static final Method<FenceBlockRequest, FenceBlockReply> FENCE_BLOCK = Method.idempotent(
            216, "block.fence", SERVERS, WRITES, FenceBlockRequest.parser(), FenceBlockReply.parser());

    /**
     * The second step: the copy has the length and the generation, durably, and is finalized. Fails with NO_SUCH_BLOCK,
     * FENCED (a higher generation was promised), INVALID_ARGUMENT (it holds less, or is finalized under this generation
     * at another length), CORRUPT (the last chunk kept fails its checksum), IO_ERROR and MALFORMED.
     */
    public static final Method<FinalizeBlockRequest, FinalizeBlockReply> FINALIZE_BLOCK = Method.idempotent(
            217, "block.finalize", SERVERS, WRITES, FinalizeBlockRequest.parser(), FinalizeBlockReply.parser());

    /**
     * From the namespace's leader, for {@link MetaMethods#CHANGE_VOLUME}. Fails with NOT_FOUND, INVALID_ARGUMENT (also
     * for the last volume), IN_USE (it has blocks), ALREADY_EXISTS (the device holds something else), WRONG_CLUSTER,
     * BUSY (another change is under way), UNSUPPORTED and IO_ERROR.
     */
    public static final Method<ChangeVolumeRequest, ChangeVolumeReply> CHANGE_VOLUME = Method.idempotent(
            219, "block.change-volume", SERVERS, UPKEEP, ChangeVolumeRequest.parser(), ChangeVolumeReply.parser());

    /** Tells users what they read themselves, and the metadata servers, for the superuser, what everybody read. */
    public static final Method<ReadStatisticsRequest, ReadStatisticsReply> READ_STATISTICS = Method.idempotent(
            220, "block.read-statistics", USERS, READS, ReadStatisticsRequest.parser(), ReadStatisticsReply.parser());

    /** What the process tells of itself. Fails with NOT_FOUND (there is no such log), UNSUPPORTED and BUSY. */
    public static final Method<DiagnosticsRequest, DiagnosticsReply> DIAGNOSTICS = Method.idempotent(
            221, "block.diagnostics", SERVERS, READS, DiagnosticsRequest.parser(), DiagnosticsReply.parser());

    private BlockMethods() {}
}
