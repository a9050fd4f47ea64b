package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.StatusHandlers;
import io.tatami.meta.service.copies.CopiesHandlers;
import io.tatami.meta.service.file.FileHandlers;
import io.tatami.meta.service.lead.PartRegistry;
import io.tatami.meta.service.move.MoveHandlers;
import io.tatami.meta.service.reclaim.ReclaimHandlers;
import io.tatami.meta.service.tree.flow.ShardTreeHandlers;
import io.tatami.meta.state.ShardState;

/** What a shard is made of: the one place where its parts are listed. */
final class ShardPartList {
    private ShardPartList() {}

    /** A line each: {@code shard.add(ShardState::new, new FileHandlers())}. */
    static void addTo(PartRegistry shard) throws TatamiException {
        shard.add(draft -> draft, new StatusHandlers(state -> false, shard.figures()));
        shard.add(ShardState::new, new ShardTreeHandlers());
        shard.add(ShardState::new, new FileHandlers());
        shard.add(ShardState::new, new MoveHandlers());
        shard.add(ShardState::new, new ReclaimHandlers());
        shard.add(ShardState::new, new CopiesHandlers());
    }
}
