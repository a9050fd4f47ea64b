package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.MkdirsReply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients were told of the requests that are done once, to be compared with how often each was done. */
final class Ledger {
    private final List<Entry> entries = new ArrayList<>();

    /** One request. */
    static final class Entry {
        private final long session;
        private final long number;
        private final Method<?, ?> method;
        private Told told = Told.NOTHING;
        private @Nullable ErrorCode refusal;

        Entry(long session, long number, Method<?, ?> method) {
            this.session = session;
            this.number = number;
            this.method = method;
        }

        void end(@Nullable Message reply, @Nullable Throwable thrown) {
            if (reply != null) {
                boolean changed = !(reply instanceof MkdirsReply made) || made.getCreated();
                told = changed ? Told.DONE : Told.NOTHING;
            } else if (thrown != null) {
                ErrorCode code = SimNetwork.failureOf(thrown).code();
                refusal = code;
                told = code == ErrorCode.DEADLINE_EXCEEDED || code == ErrorCode.REPLY_EVICTED
                        ? Told.NOTHING
                        : Told.REFUSED;
            }
        }
    }

    private enum Told {
        DONE,
        REFUSED,
        /** Its client died, gave it up, or was told that nothing was to be done. */
        NOTHING
    }

    Entry begin(long session, long number, Method<?, ?> method) {
        Entry entry = new Entry(session, number, method);
        entries.add(entry);
        return entry;
    }

    /** Fails where something was told to be done and was not, or refused and was done. */
    void check(Oracle oracle) {
        for (Entry entry : entries) {
            int times = oracle.timesDone(entry.session, entry.number);
            Check.check(times <= 1, "%s was done %d times", entry.method, times);
            if (oracle.hasPassed(entry.session, entry.number)) {
                continue;
            }
            Check.check(entry.told != Told.DONE || times == 1, "%s was acknowledged and not done", entry.method);
            Check.check(
                    entry.told != Told.REFUSED || times == 0,
                    "%s was refused with %s, and done",
                    entry.method,
                    String.valueOf(entry.refusal));
        }
    }
}
