package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.meta.state.MoveMark;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.Marker;
import java.util.List;

/**
 * A request met something that only another group can tell. It is parked outside the batch until the question is
 * answered and what was in doubt is settled in this shard, and then decided anew.
 */
public final class UnsettledException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Question question;

    public UnsettledException(Question question) {
        super(question.toString(), null, false, false);
        this.question = question;
    }

    public Question question() {
        return question;
    }

    /** What has to be asked of whom. */
    public sealed interface Question {}

    /**
     * A directory marker stands where the request would put a file: is there such a directory? Asked of the namespace
     * group. Where there is none, the marker is cleared; where there is, it is confirmed in the request's next
     * decision. A marker that has come since then has another version, and is asked about anew.
     */
    public record MarkerInDoubt(DirectoryId parent, String name, DirectoryId directory, TreeVersion version)
            implements Question {
        /** @param marker what stands there */
        public MarkerInDoubt(DirectoryId parent, String name, Marker marker) {
            this(parent, name, new DirectoryId(marker.getDirectoryId()), new TreeVersion(marker.getVersion()));
        }
    }

    /**
     * The entry is being moved to another shard: how did that end? Asked of the destination.
     *
     * @param to the destination's shard
     */
    public record EntryLeaving(DirectoryId parent, String name, TransactionId transaction, MoveMark mark, GroupId to)
            implements Question {}

    /**
     * Some entries are being moved to other shards: how did that end? Where it has not ended, they stay marked.
     *
     * @param upTo all entries up to this name that are leaving were asked about in this request; empty where the
     *     request is not about a range of names
     */
    public record EntriesLeaving(List<EntryLeaving> entries, String upTo) implements Question {
        /** More is asked in turns. */
        public static final int ENTRIES_MAX = 256;
    }

    /**
     * The directory is being widened, and what has the name, if anything has, may be in the shard that had it before.
     *
     * @param spread what the directory is widened to
     * @param fromSpread what it is widened from
     */
    public record EntryNotArrived(DirectoryId directory, String name, int spread, int fromSpread) implements Question {}

    /**
     * The directory is being widened, and who lists it has come to where entries have arrived.
     *
     * @param next the first name that may be listed next
     * @param spread what the directory is widened to
     * @param fromSpread what it is widened from
     */
    public record EntriesNotArrived(DirectoryId directory, String next, int spread, int fromSpread)
            implements Question {}

    /** A move is about to put an entry here; this shard's own coordinator ends it. */
    public record EntryArriving(DirectoryId parent, String name, TransactionId transaction) implements Question {}

    /**
     * A change was announced of a directory that was above an open file when that was last known: is the one that the
     * file is in, as its home knows, still in the tree, and where? Asked of the namespace group. Where it is gone, that
     * is kept in the gate; where it stands, the request is no longer in doubt, and the lease is renewed.
     */
    public record WriterInDoubt(FileId file, DirectoryId directory) implements Question {}

    /**
     * A block is to be granted, no block server's credits are left, and some have room: they are about to give more,
     * and are asked to. Settled after a while in any case, once for a request.
     */
    public record CreditsAwaited(List<ServerId> servers) implements Question {}
}
