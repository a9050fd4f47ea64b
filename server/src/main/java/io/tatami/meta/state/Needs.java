package io.tatami.meta.state;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.state.wire.FileNeedRecord;
import io.tatami.meta.state.wire.HealCursorRecord;
import io.tatami.meta.state.wire.NeedRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a shard whose copies are to be looked at, by class; the files whose blocks are to be; and how far the
 * blocks of servers that are to have none are queued. A block waits in one class at most. It stays until it was found
 * to have the copies that it is to have.
 */
public final class Needs {
    private final ShardState state;

    Needs(ShardState state) {
        this.state = state;
    }

    /** Why a block waits, the most urgent first. The numbers are a stored format. */
    public enum Urgency {
        /** One good copy is left. */
        LAST_COPY(0),
        /** It has fewer good copies than it is to have. */
        UNDER_REPLICATED(1),
        /** It was not looked at since it changed, or it has copies to give up. */
        UNJUDGED(2),
        /** It lacks copies, and nothing helps it until block servers join, leave, or stand otherwise. */
        UNSCHEDULABLE(5),
        /** It has all its copies, and one is moved from a full server to an empty one. */
        MOVED(4);

        private final int number;

        Urgency(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }

        /** @throws IllegalArgumentException there is no such class */
        public static Urgency of(int number) {
            for (Urgency urgency : values()) {
                if (urgency.number == number) {
                    return urgency;
                }
            }
            throw new IllegalArgumentException("no class of needs has the number " + number);
        }
    }

    /**
     * The copies of a block are to be looked at, as something of it has changed; without effect where it waits for that
     * already.
     *
     * @param index where the block is in its file: a hint
     */
    public void look(BlockId block, FileId file, int index) {
        Urgency urgency = urgency(block);
        if (urgency == null || urgency == Urgency.UNSCHEDULABLE) {
            put(block, Urgency.UNJUDGED, file, index);
        }
    }

    /** The block waits under this class from now on. */
    public void put(BlockId block, Urgency urgency, FileId file, int index) {
        remove(block);
        state.write(
                Keys.need(urgency.number(), block),
                NeedRecord.newBuilder().setFileId(file.value()).setIndex(index).build());
    }

    /** How many blocks wait in one class, as of the last batch. */
    public long count(Urgency urgency) {
        return Totals.waiting(Totals.of(state.draft()), urgency);
    }

    /**
     * How many blocks wait for what can be done now, as of the last batch: those that are unschedulable hold up no
     * others.
     */
    public long count() {
        TotalsRecord totals = Totals.of(state.draft());
        return Totals.waiting(totals, Urgency.LAST_COPY)
                + Totals.waiting(totals, Urgency.UNDER_REPLICATED)
                + Totals.waiting(totals, Urgency.UNJUDGED);
    }

    /** Where the block waits; null where it does not. */
    public @Nullable Urgency urgency(BlockId block) {
        for (Urgency urgency : Urgency.values()) {
            if (state.read(Keys.need(urgency.number(), block), NeedRecord.parser()) != null) {
                return urgency;
            }
        }
        return null;
    }

    /** The block has the copies that it is to have, or is gone. */
    public void remove(BlockId block) {
        Urgency urgency = urgency(block);
        if (urgency != null) {
            state.remove(Keys.need(urgency.number(), block));
        }
    }

    /** Where a block that waits is in its file, as a hint; 0 where it does not wait. */
    public int indexHint(BlockId block) {
        for (Urgency urgency : Urgency.values()) {
            NeedRecord need = state.read(Keys.need(urgency.number(), block), NeedRecord.parser());
            if (need != null) {
                return need.getIndex();
            }
        }
        return 0;
    }

    /**
     * The blocks of a file before one are queued.
     *
     * @param nextIndex of that one; -1 where all are
     */
    public void lookedAtFile(FileId file, int nextIndex) {
        if (nextIndex < 0) {
            state.remove(Keys.fileNeed(file));
        } else {
            state.write(
                    Keys.fileNeed(file),
                    FileNeedRecord.newBuilder().setNextIndex(nextIndex).build());
        }
    }

    /** All blocks of a file are to be looked at: the number of copies that it asks for has changed. */
    public void lookAtFile(FileId file) {
        state.write(Keys.fileNeed(file), FileNeedRecord.getDefaultInstance());
    }

    /** How far the blocks of a server that is to have none are queued; of pass 0 where they are not being queued. */
    public HealCursorRecord healCursor(ServerId server) {
        return state.readOr(Keys.healCursor(server), HealCursorRecord.getDefaultInstance(), HealCursorRecord.parser());
    }

    public void putHealCursor(ServerId server, HealCursorRecord cursor) {
        state.write(Keys.healCursor(server), cursor);
    }

    public void removeHealCursor(ServerId server) {
        state.remove(Keys.healCursor(server));
    }
}
