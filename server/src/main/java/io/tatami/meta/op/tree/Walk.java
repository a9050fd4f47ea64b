package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectoryRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path walked from the root as far as directories lead, by somebody who needs EXECUTE on each directory that is
 * looked into. The tree knows no files: where the walk ends early, the next name may be a file's.
 */
final class Walk {
    private final TreePath path;
    private final List<Named> steps = new ArrayList<>();

    private Walk(TreePath path) {
        this.path = path;
    }

    /** @throws TatamiException PERMISSION_DENIED where a directory may not be looked into */
    static Walk along(TreeState state, Caller caller, TreePath path) throws TatamiException {
        Walk walk = new Walk(path);
        Named current = new Named(DirectoryId.NONE, "", state.root());
        walk.steps.add(current);
        for (String name : path.names()) {
            walk.require(caller, current, Access.EXECUTE);
            DirectoryRecord next = state.directory(current.id(), name);
            if (next == null) {
                break;
            }
            current = new Named(current.id(), name, next);
            walk.steps.add(current);
        }
        return walk;
    }

    TreePath path() {
        return path;
    }

    /** How many names of the path have no directory. */
    int missing() {
        return path.length() + 1 - steps.size();
    }

    boolean isComplete() {
        return missing() == 0;
    }

    /** The first name that has no directory; only where the walk is not complete. */
    String firstMissing() {
        return path.names().get(steps.size() - 1);
    }

    /** The deepest directory; the path's own where the walk is complete. */
    Named last() {
        return steps.get(steps.size() - 1);
    }

    /** The directory that holds the path's last name; null where that is missing too, and for the root. */
    @Nullable
    Named parent() {
        int index = path.length() - 1;
        return index < 0 || index >= steps.size() ? null : steps.get(index);
    }

    /** The deepest directory above the path's last name; only for other paths than the root. */
    Named ancestor() {
        return steps.get(Math.min(path.length(), steps.size()) - 1);
    }

    /** The directories above the last step, root first. */
    List<Named> aboveLast() {
        return steps.subList(0, steps.size() - 1);
    }

    /** The path's own directory. */
    Named found() throws TatamiException {
        if (!isComplete()) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "File does not exist: " + path);
        }
        return last();
    }

    /** Whether the walk went through this directory. */
    boolean passes(DirectoryId directory) {
        return steps.stream().anyMatch(step -> step.id().equals(directory));
    }

    /** Where the path's last name is or, where more is missing, the first missing name. */
    Place place() {
        Place.Builder place = Place.newBuilder();
        if (isComplete()) {
            Named parent = parent();
            place.setDirectoryId(last().id().value())
                    .setSpread(last().record().getSpread())
                    .setWideningFrom(last().record().getWideningFrom())
                    .setParentId(last().parent().value())
                    .setName(last().name())
                    .setParentSpread(parent == null ? 1 : parent.record().getSpread())
                    .setParentWideningFrom(parent == null ? 0 : parent.record().getWideningFrom());
        } else {
            place.setParentId(last().id().value())
                    .setName(firstMissing())
                    .setParentSpread(last().record().getSpread())
                    .setParentWideningFrom(last().record().getWideningFrom());
        }
        List<Named> above = isComplete() ? aboveLast() : steps;
        above.forEach(step -> place.addAboveId(step.id().value()));
        return place.build();
    }

    /**
     * What HDFS asks of whoever deletes or renames the path: WRITE on its parent, and in a sticky one ownership of the
     * parent or of the directory.
     */
    void requireRemovable(Caller caller) throws TatamiException {
        Named parent = parent();
        if (parent == null) {
            return;
        }
        if (isComplete()) {
            requireSticky(caller, parent);
        }
        require(caller, parent, Access.WRITE);
    }

    /** Of whoever takes away the path's own directory, by replacing it, too. */
    void requireSticky(Caller caller, Named parent) throws TatamiException {
        Access.requireSticky(
                caller,
                parent.record().getAttributes(),
                subject(parent),
                last().record().getAttributes(),
                Subject.directory(path.toString()));
    }

    /**
     * @throws TatamiException PERMISSION_DENIED unless the caller has all of {@code wanted} on a directory of the walk
     */
    void require(Caller caller, Named step, int wanted) throws TatamiException {
        if (!Access.allows(caller, step.record().getAttributes(), wanted)) {
            Access.require(caller, step.record().getAttributes(), wanted, subject(step));
        }
    }

    private Subject subject(Named step) {
        return Subject.directory(path.prefix(steps.indexOf(step)));
    }
}
