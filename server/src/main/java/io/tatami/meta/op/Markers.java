package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.Marker;

/** Markers, by which directories keep their names free of files. */
public final class Markers {
    private Markers() {}

    /** @throws UnsettledException the tree has not said since the request arrived that there is such a directory */
    public static void requireTrue(RequestContext context, DirectoryId parent, String name, Marker marker)
            throws UnsettledException {
        if (!context.settled().contains(new TreeVersion(marker.getVersion()))) {
            throw new UnsettledException(new MarkerInDoubt(parent, name, marker));
        }
    }
}
