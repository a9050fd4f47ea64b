package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.Invitations;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.service.cluster.NamespaceClusterHandlers;
import io.tatami.meta.service.cluster.StatusHandlers;
import io.tatami.meta.service.lead.PartRegistry;
import io.tatami.meta.service.tree.flow.TreeHandlers;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.TreeState;

/** What the namespace group is made of: the one place where its parts are listed. */
final class NamespacePartList {
    private NamespacePartList() {}

    /** A line each. */
    static void addTo(PartRegistry namespace, ClusterMapHolder maps, String superuser, Invitations invitations)
            throws TatamiException {
        namespace.add(ClusterState::new, new NamespaceClusterHandlers(maps, superuser, invitations));
        namespace.add(TreeState::new, new TreeHandlers(superuser));
        namespace.add(draft -> draft, new StatusHandlers(TreeState::isFirstDirectoryMissing, namespace.figures()));
    }
}
