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
 * what does not answer soon has none: it is a hint to those who place tasks. Safe for use by many threads.
 */
final class StagedCopies {
    private static final long TIMEOUT_MILLIS = 1_000;

    private final FileLocator locator;

    StagedCopies(FileLocator locator) {
        this.locator = locator;
    }

    /** The servers that have at least half of a block staged; blocks without one are left out. */
    Map<BlockId, Set<ServerId>> of(List<LocatedBlock> blocks) throws TatamiException {
        Map<Integer, List<LocatedBlock>> byServer = new TreeMap<>();
        for (LocatedBlock block : blocks) {
            for (LocatedBlock.Holder holder : block.holders()) {
                if (!block.open() && locator.servers().hasCache(holder.server())) {
                    byServer.computeIfAbsent(holder.server().value(), server -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        Map<BlockId, Set<ServerId>> staged = new HashMap<>();
        for (Map.Entry<Integer, List<LocatedBlock>> asked : byServer.entrySet()) {
            ask(new ServerId(asked.getKey()), asked.getValue(), staged);
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
