package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.ReadOrder;
import io.tatami.protocol.UnitSize;
import io.tatami.protocol.wire.StagedBlocksReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The order in which one reader reads the copies of a block: of the nearest ones, that on whose server the block is
 * staged, or planned, comes first. A plan has one server stage a block, and which one depends on how full the tiers
 * were, so those with a tier are asked, once for each block. Nobody is asked where one copy is nearer than all others,
 * as a copy of the own host is read before a staged one of another. Safe for use by many threads.
 */
final class StagedFirst {
    /** An answer takes some microseconds; without it the reader begins where it would anyway. */
    private static final Duration TIMEOUT = Duration.ofMillis(200);

    private final FileLocator locator;
    private final Map<BlockId, Optional<ServerId>> stagers = new ConcurrentHashMap<>();

    StagedFirst(FileLocator locator) {
        this.locator = locator;
    }

    /** @throws TatamiException CANCELLED where the thread is interrupted while it asks */
    ReadOrder.Choice order(BlockExtent extent) throws TatamiException {
        ReadOrder.Choice order = locator.order().choose(extent.block(), extent.servers());
        if (!AccessPlanner.isChosenByLoad(extent)) {
            return order;
        }
        List<ServerId> caches = locator.order().equallyGoodCaches(order.servers()).stream()
                .filter(server -> !locator.isTierSilent(server))
                .toList();
        if (caches.isEmpty()) {
            return order;
        }
        Optional<ServerId> stager = stagers.get(extent.block());
        if (stager == null) {
            stager = ask(extent.block(), caches);
            stagers.put(extent.block(), stager);
        }
        return stager.filter(caches::contains)
                .map(server -> new ReadOrder.Choice(withFirst(server, order.servers()), order.whyNotLocal()))
                .orElse(order);
    }

    private static List<ServerId> withFirst(ServerId first, List<ServerId> order) {
        List<ServerId> changed = new ArrayList<>(order);
        changed.remove(first);
        changed.add(0, first);
        return changed;
    }

    /**
     * The server that has the most of a block staged or planned. One that does not answer has nothing, and is not asked
     * again for a while.
     */
    private Optional<ServerId> ask(BlockId block, List<ServerId> caches) throws TatamiException {
        ServerId best = null;
        long most = UnitSize.BYTES - 1L;
        for (SideBySide.Answer<ServerId, Long> answer :
                SideBySide.ask(caches, TIMEOUT, server -> expectedBytes(server, block))) {
            Long bytes = answer.value();
            if (bytes == null) {
                locator.tierWasSilent(answer.target());
            } else if (bytes > most) {
                best = answer.target();
                most = bytes;
            }
        }
        return Optional.ofNullable(best);
    }

    private long expectedBytes(ServerId server, BlockId block) throws TatamiException {
        StagedBlocksReply reply = locator.blocks()
                .stagedBlocks(locator.servers().target(server, locator.deadline()), List.of(block), TIMEOUT.toMillis());
        long staged = reply.getStagedBytesCount() == 0 ? 0 : reply.getStagedBytes(0);
        long planned = reply.getPlannedBytesCount() == 0 ? 0 : reply.getPlannedBytes(0);
        return Math.max(staged, planned);
    }
}
