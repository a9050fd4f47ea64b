package io.tatami.hadoop;

import io.tatami.base.FileId;
import io.tatami.client.model.PathStatus;

/** A tag that is the same for two statuses of a file exactly where its content is. */
final class EntityTag {
    private EntityTag() {}

    static String of(PathStatus status) {
        return Long.toHexString(status.id()) + "-"
                + Long.toHexString(status.wire().getContentVersion());
    }

    /** The file a tag is of. */
    static FileId fileOf(String tag) {
        return new FileId(Long.parseLong(tag.substring(0, tag.indexOf('-')), 16));
    }
}
