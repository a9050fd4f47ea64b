package io.tatami.protocol;

import org.jspecify.annotations.Nullable;

/** The release of this program, as servers tell it. */
public final class Release {
    private Release() {}

    /** The release, or that it was built from source and does not run from its jars. */
    public static String name() {
        @Nullable String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "(built from source)" : version;
    }
}
