package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import java.util.List;

/** The groups of a user, as the cluster's hosts know them. Safe for use by many threads; may block. */
@FunctionalInterface
public interface GroupMapping {
    /** Empty for a user nobody knows. */
    List<String> groupsOf(String user) throws TatamiException;
}
