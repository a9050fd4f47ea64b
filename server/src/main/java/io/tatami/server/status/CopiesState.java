package io.tatami.server.status;

import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.MessageSums;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.StuckBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * What a status tells of the copies of blocks: what waits in the shards, which costs no look at a block, and what their
 * leaders know of it.
 *
 * @param shards the leaders that told; none for a user who is not the superuser
 */
public record CopiesState(List<GroupStatusReply> groups, List<CopiesStatusReply> shards) {
    private static final int STUCK_MAX = 5;

    /** Asks the leaders of all shards at once; those that refuse or do not answer are left out. */
    static CopiesState of(ClusterAdmin admin, ClusterStatus cluster, Duration timeout) throws TatamiException {
        List<GroupState> shards = cluster.groups().stream()
                .filter(group -> !group.group().isNamespace() && group.status() != null)
                .toList();
        List<CopiesStatusReply> told = new ArrayList<>();
        for (SideBySide.Answer<GroupState, CopiesStatusReply> answer :
                SideBySide.ask(shards, timeout, shard -> admin.copiesStatus(shard.group(), timeout))) {
            Optional.ofNullable(answer.value()).ifPresent(told::add);
        }
        return new CopiesState(groups(cluster), told);
    }

    /** By the groups alone. */
    static CopiesState of(ClusterStatus cluster) {
        return new CopiesState(groups(cluster), List.of());
    }

    private static List<GroupStatusReply> groups(ClusterStatus cluster) {
        return cluster.groups().stream()
                .map(GroupState::status)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    private long sum(ToLongFunction<GroupStatusReply> of) {
        return groups.stream().mapToLong(of).sum();
    }

    private long sumOfShards(ToLongFunction<CopiesStatusReply> of) {
        return shards.stream().mapToLong(of).sum();
    }

    /** Blocks that wait with one good copy left, of files that ask for several. */
    public long lastCopyBlocks() {
        return sum(GroupStatusReply::getLastCopyBlocks);
    }

    /** Blocks that wait with fewer copies than their files ask for. */
    public long tooFewBlocks() {
        return sum(GroupStatusReply::getUnderReplicatedBlocks);
    }

    /** Blocks that have changed, or have copies to give up. */
    public long unjudgedBlocks() {
        return sum(GroupStatusReply::getUnjudgedBlocks);
    }

    /** Files that have one copy because they ask for no more. */
    public long filesOfOneCopy() {
        return Math.max(0, sum(GroupStatusReply::getFiles) - sum(GroupStatusReply::getFilesOfSeveralCopies));
    }

    /** Whether the leaders told what they know. */
    public boolean isJudged() {
        return !shards.isEmpty();
    }

    /** The blocks that wait by their health, as the leaders saw them last. */
    public BlockHealthCounts health() {
        BlockHealthCounts.Builder sum = BlockHealthCounts.newBuilder();
        shards.stream()
                .flatMap(shard -> shard.getWaitingList().stream())
                .forEach(counts -> MessageSums.add(sum, counts));
        return sum.build();
    }

    public long intendedCopies() {
        return sumOfShards(CopiesStatusReply::getIntendedCopies);
    }

    public long intendedBytes() {
        return sumOfShards(CopiesStatusReply::getIntendedBytes);
    }

    public double copiesPerSecond() {
        return perSecond(CopiesStatusReply::getCopiesMade);
    }

    public double bytesPerSecond() {
        return perSecond(CopiesStatusReply::getBytesMade);
    }

    private double perSecond(ToLongFunction<CopiesStatusReply> made) {
        return shards.stream()
                .filter(shard -> shard.getMadeWithinMillis() > 0)
                .mapToDouble(shard ->
                        (double) made.applyAsLong(shard) * TimeUnit.SECONDS.toMillis(1) / shard.getMadeWithinMillis())
                .sum();
    }

    /** Until the copies that blocks lack are made, as fast as of late; empty where that is not known. */
    public Optional<Duration> timeToHeal() {
        long lacking = health().getCopiesLacking();
        if (!isJudged() || (lacking > 0 && copiesPerSecond() == 0)) {
            return Optional.empty();
        }
        return Optional.of(lacking == 0 ? Duration.ZERO : Duration.ofSeconds((long) (lacking / copiesPerSecond()) + 1));
    }

    /** Why no copies are made; empty where they are. */
    public String brake() {
        return shards.stream()
                .map(CopiesStatusReply::getBrake)
                .filter(brake -> !brake.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** How far the moves from full servers to empty ones are. */
    BalanceText balance() {
        return new BalanceText(shards);
    }

    /** Some blocks that cannot go on. */
    public List<StuckBlock> stuck() {
        return shards.stream()
                .flatMap(shard -> shard.getStuckList().stream())
                .limit(STUCK_MAX)
                .toList();
    }

    /** Whether there is nothing to tell. */
    public boolean isQuiet() {
        return lastCopyBlocks() + tooFewBlocks() + unjudgedBlocks() + intendedCopies() == 0
                && brake().isEmpty()
                && !balance().isUnderWay();
    }
}
