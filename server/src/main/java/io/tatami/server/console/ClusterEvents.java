package io.tatami.server.console;

import io.tatami.base.Clock;
import io.tatami.server.console.ClusterFacts.Fact;
import io.tatami.server.console.ClusterFacts.Subject;
import io.tatami.server.status.StatusReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What has changed in the cluster since this process began to watch: the last {@value #KEPT_MAX} changes, in memory. A
 * change that is taken back between two looks is not seen. Safe for use by many threads.
 */
final class ClusterEvents {
    static final int KEPT_MAX = 1_000;
    private static final int TEXT_CHARACTERS_MAX = 500;
    private static final String CONSOLE = "console";

    private final Clock clock;
    private final Deque<Event> kept = new ArrayDeque<>();
    private final Map<Subject, Fact> known = new HashMap<>();
    private boolean isWatching;
    private boolean hasFailed;

    /**
     * One change.
     *
     * @param atMillis when it was seen, by the wall clock
     */
    record Event(long atMillis, String kind, String subject, String text, boolean isBad) {}

    ClusterEvents(Clock clock) {
        this.clock = clock;
    }

    /** Compares a report with what was known. */
    synchronized void saw(StatusReport report) {
        Map<Subject, Fact> now = ClusterFacts.of(report);
        if (!isWatching) {
            add(CONSOLE, "this server", "began to watch the cluster", false);
        } else if (hasFailed) {
            add(CONSOLE, "this server", "the cluster answers again", false);
        }
        now.forEach(this::compare);
        forgetThoseGone(now);
        isWatching = true;
        hasFailed = false;
    }

    private void compare(Subject subject, Fact now) {
        Fact before = known.put(subject, now);
        boolean isNews = before == null
                ? now.isBad() || (isWatching && isServer(subject.kind()))
                : !before.state().equals(now.state());
        if (isNews) {
            String change = before == null ? "is new here: " + now.state() : before.state() + " → " + now.state();
            String detail = now.detail().isEmpty() ? "" : ": " + now.detail();
            add(subject.kind(), subject.name(), change + detail, now.isBad());
        }
    }

    /** Those that a server does not tell now, as it does not answer, are as they were. */
    private void forgetThoseGone(Map<Subject, Fact> now) {
        Set<String> told = now.keySet().stream()
                .filter(subject -> subject.kind().equals(ClusterFacts.VOLUME))
                .map(Subject::owner)
                .collect(Collectors.toSet());
        Set<String> servers = now.keySet().stream()
                .filter(subject -> isServer(subject.kind()))
                .map(Subject::name)
                .collect(Collectors.toSet());
        for (Iterator<Subject> each = known.keySet().iterator(); each.hasNext(); ) {
            Subject subject = each.next();
            boolean isPart = !subject.owner().equals(subject.name());
            boolean isGone = isPart
                    ? told.contains(subject.owner()) || !servers.contains(subject.owner())
                    : isServer(subject.kind());
            if (isGone && !now.containsKey(subject)) {
                each.remove();
                add(subject.kind(), subject.name(), "is not in the cluster any more", false);
            }
        }
    }

    private static boolean isServer(String kind) {
        return kind.equals(ClusterFacts.BLOCK_SERVER) || kind.equals(ClusterFacts.METADATA_SERVER);
    }

    /** The cluster could not be asked; told once until it can be. */
    synchronized void failed(String reason) {
        if (!hasFailed) {
            add(CONSOLE, "this server", "cannot ask the cluster: " + reason, true);
        }
        hasFailed = true;
    }

    /** An administrator changed something by the console. */
    synchronized void done(String user, String subject, String what) {
        add("administration", subject, what + " by " + user, false);
    }

    private void add(String kind, String subject, String text, boolean isBad) {
        if (kept.size() == KEPT_MAX) {
            kept.removeLast();
        }
        String bounded = text.length() <= TEXT_CHARACTERS_MAX ? text : text.substring(0, TEXT_CHARACTERS_MAX) + "…";
        kept.addFirst(new Event(clock.wallMillis(), kind, subject, bounded, isBad));
    }

    /**
     * The newest first.
     *
     * @param kind empty for all
     * @param subject a part of it, in any case; empty for all
     */
    synchronized List<Event> last(String kind, String subject, int limit) {
        String part = subject.toLowerCase(Locale.ROOT);
        List<Event> found = new ArrayList<>();
        for (Event event : kept) {
            boolean isOfKind = kind.isEmpty() || event.kind().equals(kind);
            if (found.size() < limit
                    && isOfKind
                    && event.subject().toLowerCase(Locale.ROOT).contains(part)) {
                found.add(event);
            }
        }
        return found;
    }
}
