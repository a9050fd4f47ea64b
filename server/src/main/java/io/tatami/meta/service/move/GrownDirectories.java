package io.tatami.meta.service.move;

import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.conf.SettingException;
import io.tatami.meta.op.widen.ForgetGrown;
import io.tatami.meta.op.widen.ListGrown;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GrownDirectory;
import io.tatami.meta.state.wire.GrownReply;
import io.tatami.meta.state.wire.GrownRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A background task: asks the namespace group to widen the directories that have become large here, or whose names
 * change fast, where that helps ({@link SpreadChoice}). Runs do not overlap, and the fields are theirs.
 */
final class GrownDirectories implements BackgroundTask {
    private static final int DIRECTORIES_MAX = 64;

    /** Whose heat is remembered. */
    private static final int HEATS_MAX = 1_024;

    /** A new note ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    /**
     * A busy directory is noted a hundred times a second, and its heat does not change faster than that is measured.
     */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private static final GrownRequest SOME =
            GrownRequest.newBuilder().setLimit(DIRECTORIES_MAX).build();
    private static final ListGrown LIST = new ListGrown();
    private static final ForgetGrown FORGET = new ForgetGrown();

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final Clock clock;
    private final int shards;
    private final int entries;
    private final int rate;
    private final boolean onOneServer;
    private final DirectoryHeat heat = new DirectoryHeat(HEATS_MAX);

    GrownDirectories(PartContext<ShardState> parts) throws SettingException {
        this.clock = parts.clock();
        this.shards = parts.record().getShards();
        this.rate = parts.settings().get(WideningSettings.RATE);
        this.onOneServer = parts.settings().get(WideningSettings.ON_ONE_SERVER);
        this.group = parts.group();
        this.peers = parts.peers();
        this.entries = parts.settings().get(WideningSettings.ENTRIES);
    }

    @Override
    public Duration leastRest() {
        return BETWEEN_LOOKS;
    }

    @Override
    public CompletableFuture<Duration> run() {
        return group.read(LIST, RequestOrigin.SERVICE, SOME).thenCompose(this::look);
    }

    private CompletableFuture<Duration> look(GrownReply grown) {
        if (grown.getDirectoryCount() == 0) {
            return CompletableFuture.completedFuture(REST);
        }
        CompletableFuture<GrownReply.Builder> seenTo = CompletableFuture.completedFuture(GrownReply.newBuilder());
        for (GrownDirectory directory : grown.getDirectoryList()) {
            CompletableFuture<Boolean> isOver =
                    isToBeWidened(directory) ? widen(directory) : CompletableFuture.completedFuture(true);
            seenTo = seenTo.thenCombine(isOver, (over, one) -> one ? over.addDirectory(directory) : over);
        }
        return seenTo.thenCompose(over -> forget(over.build(), grown));
    }

    /** Those that are being widened just now stay noted; when all are, there is nothing to do but to look again. */
    private CompletableFuture<Duration> forget(GrownReply seenTo, GrownReply grown) {
        Duration rest = seenTo.getDirectoryCount() < grown.getDirectoryCount() ? BETWEEN_LOOKS : Duration.ZERO;
        return group.submit(FORGET, RequestOrigin.SERVICE, seenTo).thenApply(done -> rest);
    }

    private boolean isToBeWidened(GrownDirectory grown) {
        DirectoryId directory = new DirectoryId(grown.getDirectoryId());
        long perSecond = heat.look(directory, grown.getChanges(), clock.monotonicNanos());
        boolean isLarge = entries > 0 && grown.getEntries() >= entries;
        boolean isHot = rate > 0 && perSecond >= rate;
        return (isLarge || isHot)
                && (onOneServer
                        || new SpreadChoice(peers.map(), shards).reachesAnotherServer(directory, grown.getSpread()));
    }

    /** True once nothing more is to be done about what was noted. */
    private CompletableFuture<Boolean> widen(GrownDirectory directory) {
        WidenDirectoryRequest request = WidenDirectoryRequest.newBuilder()
                .setDirectoryId(directory.getDirectoryId())
                .setFromSpread(directory.getSpread())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.WIDEN_DIRECTORY, request)
                .thenApply(reply -> !reply.getUnderWay());
    }
}
