package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.tree.TreeHandlers;
import io.tatami.meta.state.TreeState;

/** What the namespace group is made of: the one place where its parts are listed. */
final class NamespaceParts {
    private NamespaceParts() {}

    /** A line each. */
    static void addTo(Opening namespace) throws TatamiException {
        namespace.add(TreeState::new, new TreeHandlers());
    }
}
