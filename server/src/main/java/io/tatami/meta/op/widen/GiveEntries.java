package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * At the shard that had a part of a directory which was widened: drops the entries that have arrived at the other shard
 * and gives those that follow. Nobody acts on these entries here any more, because handles from before the widening are
 * refused by now; so the same may be given again, and what comes late or twice drops only what has arrived. What the
 * home of a file writes into a copy that stays here a little longer it sends to the other place too, as soon as it
 * hears of that. A name that somebody waits for is given ahead of its turn.
 */
public final class GiveEntries implements Operation<ShardState, GiveEntriesRequest, GiveEntriesReply> {
    /** How many entries are looked at for one reply, so that none takes long. */
    private static final int LOOKED_AT_MAX = 1_000;

    /** A reply, which must fit into a frame, ends behind the entry that passes this. */
    private static final int BYTES_MAX = 1 << 20;

    private final int lookedAtMax;

    public GiveEntries() {
        this(LOOKED_AT_MAX);
    }

    /** @param lookedAtMax how many entries are looked at for one reply */
    GiveEntries(int lookedAtMax) {
        this.lookedAtMax = lookedAtMax;
    }

    @Override
    public GiveEntriesReply decide(ShardState state, RequestContext context, GiveEntriesRequest request)
            throws UnsettledException {
        Range range = new Range(state, request, lookedAtMax);
        if (!request.getName().isEmpty()) {
            range.note();
            return range.giveOne();
        }
        boolean isAsked = !request.getComplete() && !request.getDropOnly();
        GiveEntriesReply given = isAsked ? range.give() : GiveEntriesReply.getDefaultInstance();
        boolean dropped = range.drop();
        if (dropped || given.getEntryCount() > 0) {
            range.note();
        }
        return given;
    }

    /** The entries of a directory that belong to the other shard. */
    private record Range(ShardState state, GiveEntriesRequest request, int lookedAtMax) {
        private DirectoryId directory() {
            return new DirectoryId(request.getDirectoryId());
        }

        private boolean holds(String name) {
            return Placement.shardOf(
                            directory(),
                            name,
                            request.getSpread(),
                            state.group().getShards())
                    .equals(new GroupId(request.getToGroup()));
        }

        /** @throws UnsettledException a move of one of them, or onto one, is under way */
        GiveEntriesReply give() throws UnsettledException {
            GiveEntriesReply.Builder reply = GiveEntriesReply.newBuilder();
            int lookedAt = 0;
            int bytes = 0;
            try (View.Cursor cursor = state.draft().scan(after(request.getArrivedUpTo()), end())) {
                while (cursor.next()) {
                    if (lookedAt++ == lookedAtMax || bytes > BYTES_MAX) {
                        return reply.setMore(true).build();
                    }
                    String name = Keys.nameOf(cursor.key());
                    reply.setUpTo(name);
                    if (holds(name)) {
                        EntryRecord record = ShardState.parse(cursor.value(), EntryRecord.parser());
                        MoveMarks.requireSettled(directory(), name, record);
                        reply.addEntry(GiveEntriesReply.Entry.newBuilder()
                                .setName(name)
                                .setEntry(WriteLease.forElsewhere(state, record).toByteString()));
                        bytes += cursor.value().length;
                    }
                }
            }
            return reply.build();
        }

        /**
         * What has one name, which stays here until its turn has come.
         *
         * @throws UnsettledException a move of it, or onto it, is under way
         */
        GiveEntriesReply giveOne() throws UnsettledException {
            String name = request.getName();
            EntryRecord record = state.entry(directory(), name);
            GiveEntriesReply.Builder reply = GiveEntriesReply.newBuilder();
            if (record != null && holds(name)) {
                MoveMarks.requireSettled(directory(), name, record);
                reply.addEntry(GiveEntriesReply.Entry.newBuilder()
                        .setName(name)
                        .setEntry(WriteLease.forElsewhere(state, record).toByteString()));
            }
            return reply.build();
        }

        /** Returns whether there was something to drop. */
        boolean drop() {
            byte[] from = after(request.getDroppedUpTo());
            byte[] to = request.getComplete() ? end() : after(request.getArrivedUpTo());
            List<String> arrived = new ArrayList<>();
            try (View.Cursor cursor = state.draft().scan(from, to)) {
                while (cursor.next()) {
                    String name = Keys.nameOf(cursor.key());
                    if (holds(name)) {
                        arrived.add(name);
                    }
                }
            }
            for (String name : arrived) {
                state.entries().changeRecord(directory(), name, null);
            }
            return !arrived.isEmpty();
        }

        /** From now on such entries are not for this shard to tell about, unless what it had is reclaimed already. */
        void note() {
            boolean isNew = state.slice(directory()).getGivenSpread() < request.getSpread();
            if (isNew && !state.gate(directory()).getReclaimed()) {
                state.entries().putGivenSpread(directory(), request.getSpread());
            }
        }

        private byte[] after(String name) {
            return name.isEmpty() ? Keys.entries(directory()) : Keys.entry(directory(), name + "\0");
        }

        private byte[] end() {
            return Keys.after(Keys.entries(directory()));
        }
    }
}
