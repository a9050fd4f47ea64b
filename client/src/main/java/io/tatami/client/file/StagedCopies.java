package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.model.LocatedBlock;
import io.tatami.protocol.RequestLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks block servers which blocks they have on their cache tiers. Only those with a tier are asked, all at once and
 * each for all its blocks, and one that does not answer soon has none and is asked no more: it is a hint to those who
 * place tasks. Used by one thread.
 */
public final class StagedCopies {
    static final int BLOCKS_OF_A_CALL = RequestLimits.STAGED_BLOCKS;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

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
        Map<ServerId, List<LocatedBlock>> byServer = new HashMap<>();
        for (LocatedBlock block : blocks) {
            if (block.open() || block.block().equals(BlockId.NONE)) {
                continue;
            }
            for (LocatedBlock.Holder holder : block.holders()) {
                if (locator.servers().hasCache(holder.server()) && !silent.contains(holder.server())) {
                    byServer.computeIfAbsent(holder.server(), server -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        Map<BlockId, Set<ServerId>> staged = new HashMap<>();
        for (SideBySide.Answer<Map.Entry<ServerId, List<LocatedBlock>>, List<Long>> answer :
                SideBySide.ask(byServer.entrySet(), TIMEOUT, asked -> stagedBytes(asked.getKey(), asked.getValue()))) {
            ServerId server = answer.target().getKey();
            List<Long> bytes = answer.value();
            if (bytes == null) {
                silent.add(server);
            } else {
                note(server, answer.target().getValue(), bytes, staged);
            }
        }
        return staged;
    }

    private List<Long> stagedBytes(ServerId server, List<LocatedBlock> blocks) throws TatamiException {
        List<Long> bytes = new ArrayList<>();
        for (int from = 0; from < blocks.size(); from += BLOCKS_OF_A_CALL) {
            List<LocatedBlock> part = blocks.subList(from, Math.min(blocks.size(), from + BLOCKS_OF_A_CALL));
            bytes.addAll(locator.blocks()
                    .stagedBlocks(
                            locator.servers().target(server, locator.deadline()),
                            part.stream().map(LocatedBlock::block).toList(),
                            TIMEOUT.toMillis())
                    .getStagedBytesList());
        }
        return bytes;
    }

    private static void note(
            ServerId server, List<LocatedBlock> blocks, List<Long> bytes, Map<BlockId, Set<ServerId>> staged) {
        for (int i = 0; i < Math.min(bytes.size(), blocks.size()); i++) {
            LocatedBlock block = blocks.get(i);
            if (bytes.get(i) > 0 && bytes.get(i) >= block.lengthBytes() / 2) {
                staged.computeIfAbsent(block.block(), key -> new HashSet<>()).add(server);
            }
        }
    }
}
