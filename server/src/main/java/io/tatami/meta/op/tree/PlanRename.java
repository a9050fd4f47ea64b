package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.RenamePlan;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.wire.RenameDirectoryRequest;

/**
 * What a rename of a directory would do, and whether it may. The order of the checks is HDFS's, so that where several
 * things are wrong the same one is told.
 */
public final class PlanRename implements Operation<TreeState, RenameDirectoryRequest, RenamePlan> {
    @Override
    public RenamePlan decide(TreeState state, RequestContext context, RenameDirectoryRequest request)
            throws TatamiException {
        Paths paths = Paths.walk(state, context.caller(), request);
        RenamePlan.Builder plan =
                RenamePlan.newBuilder().setSource(paths.source.place()).setDestination(paths.destination.place());
        try {
            paths.requireParentOfDestination();
        } catch (TatamiException e) {
            plan.setRefusal(PlanMkdirs.refusal(e));
        }
        return plan.build();
    }

    /** Both paths, checked but for the parent of the destination. */
    record Paths(Walk source, Walk destination) {
        /**
         * @throws TatamiException PERMISSION_DENIED; NOT_FOUND for the source; ALREADY_EXISTS and NOT_EMPTY for the
         *     destination; INVALID_ARGUMENT for what no state of the tree would allow
         */
        static Paths walk(TreeState state, Caller caller, RenameDirectoryRequest request) throws TatamiException {
            TreePath from = TreePath.parse(request.getSource());
            TreePath to = TreePath.parse(request.getDestination());
            to.requireAllowedLengths();
            Paths paths = new Paths(Walk.along(state, caller, from), Walk.along(state, caller, to));
            paths.source.requireRemovable(caller);
            if (!to.isRoot()) {
                paths.destination.require(caller, paths.destination.ancestor(), Access.WRITE);
            }
            paths.requireSource();
            if (to.isBelow(from)) {
                throw invalid("Rename destination " + to + " is a directory or file under source " + from);
            }
            if (to.isRoot()) {
                throw invalid("rename destination cannot be the root");
            }
            if (paths.destination.isComplete()) {
                paths.requireReplaceable(state, caller, request.getOverwrite());
            }
            return paths;
        }

        private void requireSource() throws TatamiException {
            TreePath from = source.path();
            if (!source.isComplete()) {
                throw new TatamiException(ErrorCode.NOT_FOUND, "rename source " + from + " is not found.");
            }
            if (from.isRoot()) {
                throw invalid("rename source cannot be the root");
            }
            if (from.equals(destination.path())) {
                throw new TatamiException(
                        ErrorCode.ALREADY_EXISTS, "The source " + from + " and destination " + from + " are the same");
            }
        }

        /** As for a file that is replaced, the sticky bit counts, which HDFS does not look at here. */
        private void requireReplaceable(TreeState state, Caller caller, boolean overwrite) throws TatamiException {
            if (!overwrite) {
                throw new TatamiException(
                        ErrorCode.ALREADY_EXISTS, "rename destination " + destination.path() + " already exists");
            }
            destination.requireSticky(caller, destination.ancestor());
            if (state.hasChildren(destination.last().id())) {
                throw notEmpty(destination.path().toString());
            }
        }

        void requireParentOfDestination() throws TatamiException {
            if (destination.missing() > 1) {
                throw new TatamiException(
                        ErrorCode.NOT_FOUND, "rename destination parent " + destination.path() + " not found.");
            }
        }
    }

    /** @param path of the destination */
    public static TatamiException notEmpty(String path) {
        return new TatamiException(ErrorCode.NOT_EMPTY, "rename destination directory is not empty: " + path);
    }

    private static TatamiException invalid(String message) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
