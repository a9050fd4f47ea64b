package io.tatami.hadoop.convert;

import io.tatami.client.model.PathStatus;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** A status with the file's entity tag. */
public final class TatamiFileStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    TatamiFileStatus(PathStatus status, Path path, @Nullable Path symlink, boolean hasAcl) {
        super(
                status.lengthBytes(),
                status.isDirectory(),
                status.replication(),
                status.blockSizeBytes(),
                status.modifiedMillis(),
                status.accessedMillis(),
                new FsPermission((short) status.mode()),
                status.owner(),
                status.group(),
                symlink,
                path,
                attributes(hasAcl, false, false, false));
        this.etag = EntityTag.of(status);
    }

    @Override
    public String getEtag() {
        return etag;
    }

    /** As Hadoop has it: by path alone. */
    @Override
    public boolean equals(Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
