package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.CommitMkdirsRequest;
import io.tatami.meta.op.tree.wire.FirstDirectory;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.MkdirsReply;

/**
 * The directories that a new cluster begins with are made one after the other, each in one commit with the note that it
 * was: so each is made once, and not again after somebody has deleted it, wherever the server was stopped.
 */
public final class FirstDirectories {
    /** The number of the first of them. */
    static final int FIRST = 1;

    /** What is to be made next. */
    public static final Operation<TreeState, Empty, FirstDirectory> NEXT =
            (state, context, request) -> numbered(state.firstDirectory());

    private FirstDirectories() {}

    private static FirstDirectory numbered(int number) {
        return FirstDirectory.newBuilder().setNumber(number).build();
    }

    /**
     * Makes one of them.
     *
     * @param number the note has, else nothing is done
     * @param after the number of the next; 0 for none
     * @param mode exactly, whatever the parent has
     */
    public record Commit(int number, int after, int mode)
            implements Operation<TreeState, CommitMkdirsRequest, MkdirsReply> {
        private static final CommitMkdirs COMMIT = new CommitMkdirs();

        @Override
        public MkdirsReply decide(TreeState state, RequestContext context, CommitMkdirsRequest request)
                throws TatamiException {
            if (state.firstDirectory() != number) {
                return MkdirsReply.getDefaultInstance();
            }
            MkdirsReply made = COMMIT.decide(state, context, request);
            if (made.getCreated()) {
                TreePath path = TreePath.parse(request.getRequest().getPath());
                Named directory = Walk.along(state, context.caller(), path).found();
                DirectoryRecord.Builder record = directory.record().toBuilder();
                record.getAttributesBuilder().setMode(mode);
                state.replaceRecord(new Named(directory.parent(), directory.name(), record.build()));
            }
            state.setFirstDirectory(after);
            return made;
        }
    }

    /**
     * Leaves one of them out, because something else has its name already.
     *
     * @param number as of {@link Commit}
     * @param after as of {@link Commit}
     */
    public record LeaveOut(int number, int after) implements Operation<TreeState, Empty, Empty> {
        @Override
        public Empty decide(TreeState state, RequestContext context, Empty request) {
            if (state.firstDirectory() == number) {
                state.setFirstDirectory(after);
            }
            return Empty.getDefaultInstance();
        }
    }
}
