package io.tatami.meta.service.tree.flow;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.Rights;
import io.tatami.meta.op.tree.CheckReach;
import io.tatami.meta.op.tree.GetDirectories;
import io.tatami.meta.op.tree.GetDirectory;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.TreeSettings;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.MetaMethods;
import org.jspecify.annotations.Nullable;

/** The directory tree, as a part of the namespace group. */
public final class TreeHandlers implements GroupPart<TreeState> {
    private final @Nullable String founder;

    /** @param founder who made the cluster, to be given the first directories; null for a tree that stays as it is */
    public TreeHandlers(@Nullable String founder) {
        this.founder = founder;
    }

    @Override
    public void register(GroupTable<TreeState> table, PartContext<TreeState> parts) throws TatamiException {
        LeaderTree tree = new LeaderTree(parts, TreeSettings.from(parts.settings()));
        Rights rights = parts.signer().rights();
        ContentSummaryFlow summaries = new ContentSummaryFlow(tree);
        DeleteDirectoryFlow deletions = new DeleteDirectoryFlow(tree);
        table.flow(MetaMethods.RESOLVE, new ResolveFlow(tree))
                .flow(MetaMethods.GET_DIRECTORY, tree.reading(new GetDirectory(rights)))
                .flow(MetaMethods.GET_DIRECTORIES, tree.reading(new GetDirectories(rights)))
                .flow(MetaMethods.CHECK_REACH, tree.reading(new CheckReach()))
                .flow(MetaMethods.LOCATE_DIRECTORY, new LocateDirectoryFlow(tree))
                .flow(MetaMethods.CHECK_DIRECTORY, new CheckDirectoryFlow(tree))
                .flow(MetaMethods.CONTENT_SUMMARY, summaries)
                .flow(MetaMethods.MKDIRS, new MkdirsFlow(tree))
                .flow(MetaMethods.RENAME_DIRECTORY, new RenameDirectoryFlow(tree))
                .flow(MetaMethods.DELETE_DIRECTORY, deletions)
                .flow(MetaMethods.SET_DIRECTORY_ATTRIBUTES, new SetDirectoryAttributesFlow(tree))
                .flow(MetaMethods.WIDEN_DIRECTORY, new WidenDirectoryFlow(tree))
                .background("tree.widen", "h", new WideningDirectories(tree))
                .background("tree.reclaim", "xh", new SubtreeReclaimer(tree))
                .background("tree.prune-gates", "", new GatePruner(tree))
                .background("tree.forget-summaries", "", summaries.resting())
                .background("tree.forget-deletions", "", deletions.resting());
        if (founder != null) {
            table.background("tree.first-directories", "", new FirstDirectoryMaker(tree, founder));
        }
    }
}
