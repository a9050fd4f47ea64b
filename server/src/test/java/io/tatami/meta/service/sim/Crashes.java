package io.tatami.meta.service.sim;

import io.tatami.meta.op.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * At which steps groups crash: some seeds have one crash after so many steps of any kind, some at the nth passing of a
 * step they name. A step is a moment of an operation, such as {@code committed.prepare-move}, or a
 * {@link io.tatami.files.CrashPoint}.
 */
final class Crashes {
    /** Each must have been crashed at. */
    static final List<String> STEPS = steps();

    private static final Map<Class<?>, String> NAMES = new HashMap<>();

    private final List<Trigger> triggers = new ArrayList<>();

    Crashes(SimWorld world) {
        int any = world.below(4);
        for (int i = 0; i < any; i++) {
            triggers.add(new Trigger(null, 1 + world.below(400)));
        }
        int named = world.below(4);
        for (int i = 0; i < named; i++) {
            triggers.add(new Trigger(STEPS.get(world.below(STEPS.size())), 1 + world.below(3)));
        }
    }

    private static final class Trigger {
        private final @Nullable String step;
        private int left;

        Trigger(@Nullable String step, int left) {
            this.step = step;
            this.left = left;
        }
    }

    private static List<String> steps() {
        List<String> steps = new ArrayList<>();
        for (String operation : List.of(
                "abort-move",
                "ack-outbox",
                "add-blocks",
                "announce",
                "append-file",
                "arrive-entries",
                "arrive-entry",
                "begin-move",
                "begin-recovery",
                "begin-term",
                "bulk-delete",
                "commit-attributes",
                "commit-delete",
                "commit-mkdirs",
                "commit-move",
                "commit-rename",
                "commit-widen",
                "complete-file",
                "concat-files",
                "create-file",
                "cut-file",
                "delete-file",
                "deliver",
                "end-arrival",
                "end-moves",
                "end-unhooked",
                "end-widening",
                "finish-move",
                "finish-recovery",
                "give-entries",
                "prepare-move",
                "reclaim-directories",
                "reclaim-entries",
                "rename-file",
                "reopen-file",
                "reserve-marker",
                "settle-marker",
                "take-directory-ids",
                "truncate-file")) {
            steps.add("decided." + operation);
            steps.add("committed." + operation);
            steps.add("answered." + operation);
        }
        steps.addAll(List.of(
                "meta.delete-directory.announced",
                "meta.delete-directory.committed",
                "meta.mkdirs.reserved",
                "meta.move.begun",
                "meta.move.committed",
                "meta.move.finished",
                "meta.move.prepared",
                "meta.reclaim-subtree.handed-over",
                "meta.recovery.after-begin",
                "meta.recovery.after-blocks",
                "meta.rename-directory.announced",
                "meta.rename-directory.committed",
                "meta.rename-directory.reserved",
                "meta.set-directory-attributes.announced",
                "meta.widen.arrived",
                "meta.widen.fetched",
                "meta.widen.given",
                "meta.widen-directory.announced",
                "meta.widen-directory.handed-over"));
        return List.copyOf(steps);
    }

    /** Whether whoever passes this step crashes there. */
    boolean isAt(String step) {
        boolean crash = false;
        for (Iterator<Trigger> each = triggers.iterator(); each.hasNext(); ) {
            Trigger trigger = each.next();
            if ((trigger.step == null || trigger.step.equals(step)) && --trigger.left == 0) {
                each.remove();
                crash = true;
            }
        }
        return crash;
    }

    /** The operation in words, as the names of crash points have it. */
    static String nameOf(Operation<?, ?, ?> operation) {
        return NAMES.computeIfAbsent(
                operation.getClass(),
                kind -> kind.isHidden()
                        ? "other"
                        : kind.getSimpleName()
                                .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
                                .toLowerCase(Locale.ROOT));
    }
}
