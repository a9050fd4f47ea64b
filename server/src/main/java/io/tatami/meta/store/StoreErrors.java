package io.tatami.meta.store;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** RocksDB's failures in our words. */
final class StoreErrors {
    private StoreErrors() {}

    static TatamiException of(String what, RocksDBException cause) {
        return new TatamiException(codeOf(cause.getStatus()), what + ": " + cause.getMessage(), cause);
    }

    /** For reads, which the pure code above cannot expect to fail: the loop of the group stops at it. */
    static UncheckedIOException unchecked(String what, RocksDBException cause) {
        return new UncheckedIOException(of(what, cause));
    }

    /** Whether a read of memory alone would have had to ask the disk. */
    static boolean isIncomplete(RocksDBException failure) {
        Status status = failure.getStatus();
        return status != null && status.getCode() == Status.Code.Incomplete;
    }

    static ErrorCode codeOf(@Nullable Status status) {
        if (status == null) {
            return ErrorCode.IO_ERROR;
        }
        if (status.getSubCode() == Status.SubCode.NoSpace) {
            return ErrorCode.NO_SPACE;
        }
        return status.getCode() == Status.Code.Corruption ? ErrorCode.CORRUPT : ErrorCode.IO_ERROR;
    }
}
