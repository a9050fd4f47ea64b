package io.tatami.hadoop.convert;

import io.tatami.base.FileId;
import io.tatami.client.model.PathStatus;

/** A tag that is the same for two statuses of a file exactly where its content is. */
public final class EntityTag {
    private EntityTag() {}

    public static String of(PathStatus status) {
        return Long.toHexString(status.id()) + "-"
                + Long.toHexString(status.wire().getContentVersion());
    }

    /** The file a tag is of. */
    public static FileId fileOf(String tag) {
        return new FileId(Long.parseLong(tag.substring(0, tag.indexOf('-')), 16));
    }
}
