package io.tatami.meta.service.move;

import io.tatami.base.GroupId;
import io.tatami.conf.SettingException;
import io.tatami.meta.op.move.ForgetGrown;
import io.tatami.meta.op.move.ListGrown;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GrownDirectory;
import io.tatami.meta.state.wire.GrownReply;
import io.tatami.meta.state.wire.GrownRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A background task: asks the namespace group to widen the directories that have become large here. */
final class GrownDirectories {
    private static final int DIRECTORIES_MAX = 64;

    /** Whoever meets an entry that is on its way waits for those before it, so there must not be too many. */
    private static final int TOO_LARGE = 16;

    /** A new note ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    private static final Duration WHILE_WIDENED = Duration.ofSeconds(1);

    private static final GrownRequest SOME =
            GrownRequest.newBuilder().setLimit(DIRECTORIES_MAX).build();
    private static final ListGrown LIST = new ListGrown();
    private static final ForgetGrown FORGET = new ForgetGrown();
    private static final Logger LOG = LoggerFactory.getLogger(GrownDirectories.class);

    private final Group<ShardState> group;
    private final Peers peers;
    private final int entries;

    GrownDirectories(GroupParts<ShardState> parts) throws SettingException {
        this.group = parts.group();
        this.peers = parts.peers();
        this.entries = parts.settings().get(WideningSettings.ENTRIES);
    }

    CompletableFuture<Duration> run() {
        return group.read(LIST, RequestOrigin.SERVICE, SOME).thenCompose(this::look);
    }

    private CompletableFuture<Duration> look(GrownReply grown) {
        if (grown.getDirectoryCount() == 0) {
            return CompletableFuture.completedFuture(REST);
        }
        CompletableFuture<GrownReply.Builder> seenTo = CompletableFuture.completedFuture(GrownReply.newBuilder());
        for (GrownDirectory directory : grown.getDirectoryList()) {
            CompletableFuture<Boolean> isOver =
                    isLarge(directory) ? widen(directory) : CompletableFuture.completedFuture(true);
            seenTo = seenTo.thenCombine(isOver, (over, one) -> one ? over.addDirectory(directory) : over);
        }
        return seenTo.thenCompose(over -> forget(over.build(), grown));
    }

    /** Those that are being widened just now stay noted. */
    private CompletableFuture<Duration> forget(GrownReply seenTo, GrownReply grown) {
        Duration rest = seenTo.getDirectoryCount() < grown.getDirectoryCount() ? WHILE_WIDENED : Duration.ZERO;
        return group.submit(FORGET, RequestOrigin.SERVICE, seenTo).thenApply(done -> rest);
    }

    private boolean isLarge(GrownDirectory directory) {
        if (entries == 0 || directory.getEntries() < entries) {
            return false;
        }
        boolean tooLarge = directory.getEntries() / TOO_LARGE > entries;
        if (tooLarge) {
            LOG.warn(
                    "directory {} has {} entries in {}, too many to be divided further while it is in use",
                    directory.getDirectoryId(),
                    directory.getEntries(),
                    group.id());
        }
        return !tooLarge;
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
