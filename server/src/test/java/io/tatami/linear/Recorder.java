package io.tatami.linear;

import io.tatami.linear.check.Call;
import io.tatami.linear.check.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Writes a history down as it happens. Safe for use by many threads. */
final class Recorder {
    /** A file that is told by its id, until it is known which call has made it. */
    private static final Pattern OPEN_ID = Pattern.compile("(open|lost):@(\\d+)");

    private final AtomicLong clock = new AtomicLong();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private final List<Operation> operations = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<Long, Integer> filesById = new ConcurrentHashMap<>();

    /** An operation begins. @return its moment */
    long begin() {
        begun.incrementAndGet();
        return clock.incrementAndGet();
    }

    void end(int client, long invoked, Call call, String result) {
        add(new Operation(client, invoked, clock.incrementAndGet(), call, result));
    }

    /** Nobody knows whether it was done, or will be. */
    void endUnknown(int client, long invoked, Call call) {
        if (call.kind().isChange()) {
            unknown.incrementAndGet();
        }
        add(new Operation(client, invoked, Operation.NEVER, call, Operation.UNKNOWN));
    }

    private void add(Operation operation) {
        synchronized (operations) {
            operations.add(operation);
        }
        ended.incrementAndGet();
    }

    /** Something that is no operation, for those who read the history. */
    void note(String what) {
        synchronized (operations) {
            notes.add("# " + clock.get() + " " + what);
        }
    }

    String notes() {
        synchronized (operations) {
            return String.join("\n", notes) + "\n";
        }
    }

    /** An open file as results tell it until {@link #history}. */
    static String openFile(long id) {
        return "open:@" + id;
    }

    /** The same for one that is closed, and not by its maker. */
    static String lostFile(long id) {
        return "lost:@" + id;
    }

    void made(long id, int file) {
        filesById.put(id, file);
    }

    /** How many operations have begun. */
    int begun() {
        return begun.get();
    }

    int underWay() {
        return begun.get() - ended.get();
    }

    /** How many changes have an unknown outcome. */
    int unknown() {
        return unknown.get();
    }

    /** All that has ended, with files by their numbers. */
    List<Operation> history() {
        synchronized (operations) {
            return operations.stream()
                    .map(operation -> operation.withResult(numbered(operation.result())))
                    .toList();
        }
    }

    private String numbered(String result) {
        boolean allKnown = OPEN_ID.matcher(result)
                .results()
                .allMatch(match -> filesById.containsKey(Long.parseLong(match.group(2))));
        return OPEN_ID.matcher(result)
                .replaceAll(match ->
                        match.group(1) + ":" + (allKnown ? filesById.get(Long.parseLong(match.group(2))) : "?"));
    }
}
