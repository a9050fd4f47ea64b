package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.LocatedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Asks block servers which blocks they have on their cache tiers. Only those with a tier are asked, once for all blocks, and
 * one that does not answer soon has none and is asked no more: it is a hint to those who place tasks. Used by one thread.
 */
public final class StagedCopies {
    static final int BLOCKS_OF_A_CALL = 10_000;
    private static final long TIMEOUT_MILLIS = 1_000;

    private final FileLocator locator;
    private final Set<ServerId> silent = new HashSet<>();

    StagedCopies(FileLocator locator) {
        this.locator = locator;
    }

    /**
     * The servers that have at least half of a block staged at this moment; blocks without one are left out.
     *
     * @throws TatamiException where the thread is interrupted
     */
    public Map<BlockId, Set<ServerId>> of(List<LocatedBlock> blocks) throws TatamiException {
        Map<Integer, List<LocatedBlock>> byServer = new TreeMap<>();
        for (LocatedBlock block : blocks) {
            if (block.open() || block.block().equals(BlockId.NONE)) {
                continue;
            }
            for (LocatedBlock.Holder holder : block.holders()) {
                if (locator.servers().hasCache(holder.server())) {
                    byServer.computeIfAbsent(holder.server().value(), server -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        Map<BlockId, Set<ServerId>> staged = new HashMap<>();
        for (Map.Entry<Integer, List<LocatedBlock>> asked : byServer.entrySet()) {
            ServerId server = new ServerId(asked.getKey());
            List<LocatedBlock> all = asked.getValue();
            for (int from = 0; from < all.size() && !silent.contains(server); from += BLOCKS_OF_A_CALL) {
                ask(server, all.subList(from, Math.min(all.size(), from + BLOCKS_OF_A_CALL)), staged);
            }
        }
        return staged;
    }

    private void ask(ServerId server, List<LocatedBlock> blocks, Map<BlockId, Set<ServerId>> staged)
            throws TatamiException {
        List<Long> bytes;
        try {
            bytes = locator.blocks()
                    .stagedBytes(
                            locator.servers().target(server, locator.deadline()),
                            blocks.stream().map(LocatedBlock::block).toList(),
                            TIMEOUT_MILLIS);
        } catch (TatamiException e) {
            FileLocator.requireOtherCopyMayHelp(e);
            silent.add(server);
            return;
        }
        for (int i = 0; i < Math.min(bytes.size(), blocks.size()); i++) {
            LocatedBlock block = blocks.get(i);
            if (bytes.get(i) > 0 && bytes.get(i) >= block.lengthBytes() / 2) {
                staged.computeIfAbsent(block.block(), key -> new HashSet<>()).add(server);
            }
        }
    }
}
