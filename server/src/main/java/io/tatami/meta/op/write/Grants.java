package io.tatami.meta.op.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.cluster.BlockPlacer;
import io.tatami.cluster.BlockPlacer.Candidate;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.Grant;
import java.util.ArrayList;
import java.util.List;

/**
 * Places blocks on servers that gave this shard credits; each copy takes one. The cluster map says which servers are
 * alive and where. Exactness does not depend on it: a server that died since fails the write, and the writer asks again
 * without it.
 */
final class Grants {
    /** Servers with less room may give no credits: what one of them stands for, where no other size is set. */
    private static final long ROOM_BYTES_MIN = 4L << 20;

    private final ShardState state;
    private final RequestContext context;
    private final String clientHost;
    private final List<ServerId> excluded;
    private final WriterLoads writers;

    /** The least number of servers of a block of the file that was granted blocks. */
    private int copiesMin = 1;

    /**
     * @param excluded servers that the writer could not reach, as it named them: there may be no such servers
     * @param writers hears of the places that are written at once
     */
    Grants(ShardState state, RequestContext context, String clientHost, List<ServerId> excluded, WriterLoads writers) {
        this.state = state;
        this.context = context;
        this.clientHost = clientHost;
        this.excluded = excluded;
        this.writers = writers;
    }

    /**
     * Grants up to {@code count} blocks behind those the file has; fewer, down to none, where there is no place. A
     * block gets as many servers as the file asks for copies, or as there are hosts, but not fewer than its close waits
     * for.
     *
     * @param isNext whether the writer begins the first of them at once; placement then counts a writer on its servers
     * @throws UnsettledException as {@link #awaitCredits}, where a server has none left for the first block
     */
    List<Grant> grant(HomedFile file, int count, boolean isNext) throws UnsettledException {
        List<Grant> grants = new ArrayList<>();
        copiesMin = Math.max(1, file.home().getCopiesMin());
        for (int i = 0; i < Math.min(count, FileLimits.GRANTS_MAX); i++) {
            int copies = file.home().getReplication();
            List<ServerId> servers =
                    chosen(copies, file.id().value() + file.home().getBlocks());
            if (isShortOfCredits(servers, copies)) {
                if (i > 0) {
                    break;
                }
                awaitCredits(servers.isEmpty() ? ROOM_BYTES_MIN : file.home().getBlockSize());
            }
            if (servers.size() < copiesMin) {
                break;
            }
            take(servers);
            if (i == 0 && isNext) {
                // The others are written one after the other, when this one is.
                servers.forEach(writers::granted);
            }
            BlockRecord.Builder block = BlockRecord.newBuilder()
                    .setBlockId(file.mintBlock().value())
                    .setGeneration(Generation.FIRST.value())
                    .setIssuedGeneration(Generation.FIRST.value())
                    .setOpen(true);
            servers.forEach(server -> block.addServerId(server.value()));
            file.grantBlock(block.build());
            grants.add(Grant.newBuilder()
                    .setBlockId(block.getBlockId())
                    .setGeneration(Generation.FIRST.value())
                    .addAllServerId(block.getServerIdList())
                    .build());
        }
        return grants;
    }

    private List<ServerId> chosen(int copies, long seed) {
        return BlockPlacer.place(candidates(), this::hasCredit, writers::on, clientHost, copies, seed);
    }

    /**
     * Servers for further copies of a block, each of whose credits is one fewer now; empty where none can take it.
     *
     * @param present servers that have copies; they are among the excluded
     */
    List<ServerId> placeBeside(List<ServerId> present, int copies, long seed) {
        List<Candidate> beside = context.cluster().getBlockServerList().stream()
                .filter(server -> present.contains(new ServerId(server.getServerId())))
                .map(Grants::candidate)
                .toList();
        List<ServerId> servers =
                BlockPlacer.placeBeside(beside, candidates(), this::hasCredit, writers::on, clientHost, copies, seed);
        take(servers);
        servers.forEach(writers::granted);
        return servers;
    }

    private void take(List<ServerId> servers) {
        for (ServerId server : servers) {
            CreditRecord credit = state.credit(server);
            state.putCredit(
                    server, credit.toBuilder().setBlocks(credit.getBlocks() - 1).build());
        }
    }

    /** Whether more servers could take the block than were chosen, if they had given credits. */
    private boolean isShortOfCredits(List<ServerId> servers, int copies) {
        return servers.size() < copies && servers.size() < candidates().size();
    }

    /**
     * To be called where nothing could be placed: has the request wait where a server with room has yet to renew its
     * credits.
     *
     * @throws UnsettledException not where it has waited
     */
    void awaitCredits() throws UnsettledException {
        awaitCredits(ROOM_BYTES_MIN);
    }

    private void awaitCredits(long roomBytes) throws UnsettledException {
        if (context.creditsAwaited()) {
            return;
        }
        List<ServerId> renewing = renewing(roomBytes);
        if (!renewing.isEmpty()) {
            throw new UnsettledException(new CreditsAwaited(renewing));
        }
    }

    /**
     * Why nothing could be placed: BUSY where a server with room has yet to renew its credits, or where there are too
     * few servers and a silent one may be back soon, as all are behind a restart of the metadata; else NO_SPACE.
     */
    TatamiException noSpace() {
        int hosts = candidates().size();
        if (hosts > 0 && hosts < copiesMin) {
            return new TatamiException(
                    oneMayBeBack() ? ErrorCode.BUSY : ErrorCode.NO_SPACE,
                    "a close waits for " + copiesMin + " copies of each block (" + FileLimits.COPIES_MIN_KEY + "), and "
                            + hosts + " block servers can take one: add a block server, or lower that setting");
        }
        int alive = 0;
        long freeBytes = 0;
        for (BlockServerInfo server : context.cluster().getBlockServerList()) {
            if (takesBlocks(server)) {
                alive++;
                freeBytes += server.getFreeBytes();
            }
        }
        return new TatamiException(
                renewing(ROOM_BYTES_MIN).isEmpty() && !(alive == 0 && oneMayBeBack())
                        ? ErrorCode.NO_SPACE
                        : ErrorCode.BUSY,
                "no block server can take a block of " + state.id() + ": "
                        + context.cluster().getBlockServerCount() + " known, " + alive + " alive with " + freeBytes
                        + " bytes free, " + excluded.size() + " excluded by the writer, "
                        + candidates().stream().filter(this::hasCredit).count()
                        + " with credits left; each file that is open for writing reserves room for a block, or a part of"
                        + " one where room is short, until it is closed ("
                        + Totals.of(state.draft()).getLeases()
                        + " are open in this shard): close or delete files, or add"
                        + " a volume or a block server");
    }

    /** Whether a server is silent that is not known to be dead. */
    private boolean oneMayBeBack() {
        return context.cluster().getBlockServerList().stream()
                .anyMatch(server -> server.getState() == BlockServerInfo.State.STALE);
    }

    /** Servers that have no credits left, but room, and so more to give. */
    private List<ServerId> renewing(long roomBytes) {
        return candidates().stream()
                .filter(server -> server.freeBytes() >= Math.max(ROOM_BYTES_MIN, roomBytes) && !hasCredit(server))
                .map(Candidate::server)
                .toList();
    }

    private List<Candidate> candidates() {
        List<Candidate> candidates = new ArrayList<>(context.cluster().getBlockServerCount());
        for (BlockServerInfo server : context.cluster().getBlockServerList()) {
            if (takesBlocks(server) && !excluded.contains(new ServerId(server.getServerId()))) {
                candidates.add(candidate(server));
            }
        }
        return candidates;
    }

    private static Candidate candidate(BlockServerInfo server) {
        return new Candidate(
                new ServerId(server.getServerId()), server.getHost(), server.getRack(), server.getFreeBytes());
    }

    private boolean hasCredit(Candidate candidate) {
        return state.credit(candidate.server()).getBlocks() > 0 && !state.isClosed(candidate.server());
    }

    /** Whether the server is alive and to get new bytes. */
    static boolean takesBlocks(BlockServerInfo server) {
        return server.getState() == BlockServerInfo.State.ACTIVE || server.getState() == BlockServerInfo.State.JOINING;
    }
}
