package io.tatami.meta.op.tree;

import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Intent;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.Attributes;
import java.util.List;
import java.util.function.Consumer;

/**
 * A directory tree in memory, asked operation by operation; every operation that succeeds is applied at once. Root and
 * directories belong to alice. Fields say who asks, and when.
 */
public final class MemoryTree {
    public static final Caller ALICE = new Caller("alice", List.of("users"), false);
    public static final Caller BOB = new Caller("bob", List.of("users"), false);
    public static final int SPREAD = 2;

    public Caller caller = ALICE;
    public long nowMillis = 1_000;

    private final MemoryView store = new MemoryView();

    public MemoryTree() {
        change(state -> state.putRoot(DirectoryRecord.newBuilder()
                .setDirectoryId(DirectoryId.ROOT.value())
                .setSpread(1)
                .setAttributes(attributes())
                .build()));
    }

    private static Attributes attributes() {
        return Attributes.newBuilder()
                .setOwner("alice")
                .setGroup("users")
                .setMode(0755)
                .build();
    }

    /** Makes a directory behind the operations' back. */
    public DirectoryId make(DirectoryId parent, String name) {
        DirectoryId id = new DirectoryId(state().takeIds(1));
        change(state -> {
            long unused = state.takeIds(1);
            state.putNew(new Named(
                    parent,
                    name,
                    DirectoryRecord.newBuilder()
                            .setDirectoryId(id.value())
                            .setSpread(SPREAD)
                            .setAttributes(attributes())
                            .build()));
        });
        return id;
    }

    /** Changes records behind the operations' back. */
    public void change(Consumer<TreeState> changes) {
        Draft draft = new Draft(store);
        changes.accept(new TreeState(draft));
        store.apply(draft);
    }

    public TreeState state() {
        return new TreeState(new Draft(store));
    }

    /** What the tree is now, to be compared with what it becomes. */
    public MemoryView copy() {
        return store.copy();
    }

    public boolean isAsIn(MemoryView before) {
        return store.sameAs(before);
    }

    /** The record under a name. */
    public DirectoryRecord record(DirectoryId parent, String name) {
        DirectoryRecord record = state().directory(parent, name);
        if (record == null) {
            throw new AssertionError(parent + " has no " + name);
        }
        return record;
    }

    public long modifiedMillis(DirectoryId directory) {
        Named named = state().find(directory);
        if (named == null) {
            throw new AssertionError(directory + " is not in the tree");
        }
        return named.record().getAttributes().getModifiedMillis();
    }

    /** The directories that are unhooked and not ended, oldest first. */
    public List<Long> unhooked() {
        return state().intents(0, 1_000).stream()
                .map(Intent::record)
                .map(record -> record.getDirectoryId())
                .toList();
    }

    public <Q extends Message, R extends Message> R run(Operation<TreeState, Q, R> operation, Q request)
            throws TatamiException, UnsettledException {
        Draft draft = new Draft(store);
        R reply =
                operation.decide(new TreeState(draft), new RequestContext(caller, SessionId.NONE, nowMillis), request);
        store.apply(draft);
        return reply;
    }

    /** With what an operation refuses. */
    public <Q extends Message, R extends Message> TatamiException refusal(
            Operation<TreeState, Q, R> operation, Q request) throws UnsettledException {
        try {
            R reply = run(operation, request);
            throw new AssertionError(operation.getClass().getSimpleName() + " answered " + reply);
        } catch (TatamiException e) {
            return e;
        }
    }
}
