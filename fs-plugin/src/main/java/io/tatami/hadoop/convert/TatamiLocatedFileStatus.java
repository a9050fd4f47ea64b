package io.tatami.hadoop.convert;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.LocatedFileStatus;

/** A status with the file's blocks and its entity tag. */
public final class TatamiLocatedFileStatus extends LocatedFileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    TatamiLocatedFileStatus(TatamiFileStatus status, BlockLocation[] locations) {
        super(status, locations);
        this.etag = status.getEtag();
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
