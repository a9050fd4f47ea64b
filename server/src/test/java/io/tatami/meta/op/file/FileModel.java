package io.tatami.meta.op.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a shard's files should look like after a sequence of operations, in the simplest terms. */
final class FileModel {
    /** A file: final block lengths, or inline bytes while there are no blocks. */
    static final class Modelled {
        final long id;
        final List<Long> blocks = new ArrayList<>();
        long inlineLength;

        @Nullable
        SessionId writer;

        /**
         * While nothing was written since it was made: who made it, and may begin as long as no other has opened it.
         */
        @Nullable
        SessionId maker;

        /** The newest recovery when it was opened. */
        long opening;

        /** While it is open: the granted block that is being written, and how much of it is committed; -1 for none. */
        long openCommitted = -1;

        boolean cutting;

        Modelled(long id) {
            this.id = id;
        }

        boolean isOpen() {
            return writer != null || cutting;
        }

        boolean mayWrite(SessionId session) {
            return session.equals(writer) || (writer == null && session.equals(maker));
        }

        long length() {
            long sum = blocks.stream().mapToLong(Long::longValue).sum() + Math.max(0, openCommitted);
            return inlineLength > 0 ? Math.max(inlineLength, sum) : sum;
        }

        /** Blocks have taken the inline bytes over once they hold at least as much. */
        void settleInline() {
            long sum = blocks.stream().mapToLong(Long::longValue).sum() + Math.max(0, openCommitted);
            if (inlineLength > 0 && sum >= inlineLength) {
                inlineLength = 0;
            }
        }
    }

    final Map<String, Modelled> files = new TreeMap<>();

    @Nullable
    Modelled file(String name) {
        return files.get(name);
    }

    /** Why a closed file is needed and this is none; null where it is. */
    static @Nullable ErrorCode refusalUnlessClosed(@Nullable Modelled file) {
        if (file == null) {
            return ErrorCode.NOT_FOUND;
        }
        if (file.cutting) {
            return ErrorCode.RECOVERY_IN_PROGRESS;
        }
        return file.writer == null ? null : ErrorCode.LEASE_HELD;
    }
}
