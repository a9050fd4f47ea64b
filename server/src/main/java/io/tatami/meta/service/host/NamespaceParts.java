package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.state.Draft;

/** What the namespace group is made of: the one place where its parts are listed. */
final class NamespaceParts {
    private NamespaceParts() {}

    /** A line each: {@code namespace.add(TreeState::new, new TreeHandlers())}. */
    static void addTo(Opening namespace) throws TatamiException {
        namespace.add(Draft::new, (table, parts) -> {});
    }
}
