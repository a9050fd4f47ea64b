package io.tatami.server.lab.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A process by its id and its start time, so that no stranger is taken for it that got the same id later.
 *
 * @param startTicks clock ticks since the machine's boot, field 22 of {@code /proc/PID/stat} of proc(5)
 */
public record ProcessMark(long pid, long startTicks) {
    private static final Path PROC = Path.of("/proc");
    private static final long POLL_MILLIS = 20;
    private static final long END_MILLIS_MAX = 60_000;

    /** Counted behind the name of the program, which stands in brackets and may have any character. */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    /** What a process does. */
    public enum State {
        RUNNING,
        /** Stopped by a signal, or by a debugger. */
        PAUSED,
        /** Ended, also where its parent has not asked for its exit code yet. */
        GONE
    }

    /** The process that has this id now. */
    public static Optional<ProcessMark> of(long pid) {
        return stat(pid).map(fields -> new ProcessMark(pid, Long.parseLong(fields[START_FIELD])));
    }

    /** The process with this id; fails where it has ended already. */
    public static ProcessMark ofStarted(Process process) throws TatamiException {
        return of(process.pid())
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.UNAVAILABLE, "process " + process.pid() + " ended as soon as it was started"));
    }

    /** What {@link #toString} wrote. */
    public static Optional<ProcessMark> parse(String text) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 2) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ProcessMark(Long.parseLong(words[0]), Long.parseLong(words[1])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** All processes that this user may look at and that have {@code argument} in their command line. */
    public static List<ProcessMark> withArgument(String argument) throws IOException {
        List<ProcessMark> found = new ArrayList<>();
        try (Stream<Path> entries = Files.list(PROC)) {
            for (Path entry : entries.toList()) {
                String name = String.valueOf(entry.getFileName());
                if (name.chars().allMatch(Character::isDigit)
                        && arguments(entry).contains(argument)) {
                    of(Long.parseLong(name)).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private static List<String> arguments(Path process) {
        try {
            return List.of(Files.readString(process.resolve("cmdline")).split("\0", -1));
        } catch (IOException e) {
            // It has ended, or is another user's.
            return List.of();
        }
    }

    public State state() {
        Optional<String[]> fields = stat(pid).filter(stat -> stat[START_FIELD].equals(Long.toString(startTicks)));
        return switch (fields.map(stat -> stat[STATE_FIELD]).orElse("X")) {
            case "X", "Z" -> State.GONE;
            case "T", "t" -> State.PAUSED;
            default -> State.RUNNING;
        };
    }

    private static Optional<String[]> stat(long pid) {
        try {
            String stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
            return Optional.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Sends a signal, where the process still lives.
     *
     * @param name such as {@code STOP}
     */
    public void signal(String name) throws IOException, InterruptedException {
        if (state() == State.GONE) {
            return;
        }
        try {
            Program.run("sh", "-c", "kill -\"$0\" \"$1\"", name, Long.toString(pid));
        } catch (IOException e) {
            if (state() != State.GONE) {
                throw e;
            }
        }
    }

    /** Ends the process as a crash does, and returns when it is gone. */
    public void kill() throws IOException, InterruptedException {
        signal("KILL");
        awaitEnd();
    }

    private void awaitEnd() throws TatamiException, InterruptedException {
        for (long waited = 0; state() != State.GONE; waited += POLL_MILLIS) {
            if (waited >= END_MILLIS_MAX) {
                throw new TatamiException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "process " + pid + " was killed and is there still after " + END_MILLIS_MAX / 1_000
                                + " s; it waits for a disk: see /proc/" + pid + "/stack, and try again");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Override
    public String toString() {
        return pid + " " + startTicks;
    }
}
