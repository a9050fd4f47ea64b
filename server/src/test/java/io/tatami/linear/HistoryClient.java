package io.tatami.linear;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.linear.check.Call;
import io.tatami.linear.check.FileTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A client that does calls and has what came of them written down. Used by one thread. */
final class HistoryClient implements AutoCloseable {
    private final int number;
    private final TatamiClient client;
    private final String root;
    private final Recorder recorder;
    private final Map<String, Long> outcomes;
    private final Map<Integer, FileWriter> writers = new TreeMap<>();
    private @Nullable TatamiException unanswered;

    /**
     * @param client is closed with this
     * @param root the directory that histories call the root
     * @param outcomes counts of operations by kind and outcome, by this thread alone
     */
    HistoryClient(int number, TatamiClient client, String root, Recorder recorder, Map<String, Long> outcomes) {
        this.number = number;
        this.client = client;
        this.root = root;
        this.recorder = recorder;
        this.outcomes = outcomes;
    }

    /** The files that it has open. */
    List<Integer> open() {
        return List.copyOf(writers.keySet());
    }

    /** Why it is not known what came of the last call of which that is so. */
    @Nullable
    TatamiException unanswered() {
        return unanswered;
    }

    /** Returns whether it is known what came of it. */
    boolean perform(Call call) throws IOException {
        long invoked = recorder.begin();
        try {
            String result = result(call);
            recorder.end(number, invoked, call, result);
            count(call, result);
            return true;
        } catch (TatamiException e) {
            if (isOpenEnded(e.code())) {
                unanswered = e;
                recorder.endUnknown(number, invoked, call);
                count(call, "unknown");
                return false;
            }
            recorder.end(number, invoked, call, e.code().name());
            count(call, e.code().name());
            return true;
        }
    }

    /**
     * Whether it stays open if the operation was done. More codes than need be: none of them is HDFS's answer to a
     * call.
     */
    private static boolean isOpenEnded(ErrorCode code) {
        return code.isRetryable() || code == ErrorCode.CANCELLED || code == ErrorCode.REPLY_EVICTED;
    }

    private void count(Call call, String result) {
        boolean isRead = !call.kind().isChange() && !result.equals(result.toUpperCase(Locale.ROOT));
        String outcome = result.equals("unknown") ? result : isRead || result.startsWith("[") ? "seen" : result;
        outcomes.merge(call.kind().word() + " " + outcome, 1L, Long::sum);
    }

    private String result(Call call) throws IOException {
        TatamiPath path = path(call.path());
        return switch (call.kind()) {
            case MKDIR -> String.valueOf(client.mkdirs(path, CreateSpec.modes(0777, 022), false));
            case MKDIRS -> String.valueOf(client.mkdirs(path, CreateSpec.modes(0777, 022), true));
            case CREATE -> create(path, call.file(), false);
            case OVERWRITE -> create(path, call.file(), true);
            case CLOSE -> close(call.file());
            case RENAME -> rename(path, path(call.other()), false);
            case REPLACE -> rename(path, path(call.other()), true);
            case DELETE -> String.valueOf(client.delete(path, false));
            case DELETE_ALL -> String.valueOf(client.delete(path, true));
            case STATUS -> node(client.status(path, true));
            case LIST -> listing(path, client.list(path, false).toList());
        };
    }

    private TatamiPath path(String path) throws TatamiException {
        return TatamiPath.of(path.equals("/") ? root : root + path);
    }

    private String create(TatamiPath path, int file, boolean overwrite) throws IOException {
        FileWriter writer = client.create(path, CreateSpec.DEFAULT.withOverwrite(overwrite));
        recorder.made(writer.file().value(), file);
        writer.write(new byte[file], 0, file);
        writers.put(file, writer);
        return "ok";
    }

    private String close(int file) throws IOException {
        FileWriter writer = Objects.requireNonNull(writers.remove(file));
        writer.close();
        return "ok";
    }

    private String rename(TatamiPath from, TatamiPath to, boolean overwrite) throws TatamiException {
        client.rename(from, to, overwrite);
        return "ok";
    }

    private static String node(PathStatus status) {
        if (status.isDirectory()) {
            return "dir";
        }
        if (status.isOpen()) {
            return Recorder.openFile(status.id());
        }
        // Histories close no file that is empty.
        return status.lengthBytes() == 0 ? Recorder.lostFile(status.id()) : "file:" + status.lengthBytes();
    }

    private static String listing(TatamiPath asked, List<PathStatus> entries) {
        if (entries.size() == 1 && entries.get(0).path().equals(asked)) {
            return node(entries.get(0));
        }
        List<String> all = new ArrayList<>();
        entries.forEach(entry -> all.add(FileTree.entry(entry.path().name(), node(entry))));
        return "[" + String.join(" ", all) + "]";
    }

    @Override
    public void close() {
        writers.values().forEach(FileWriter::abort);
        client.close();
    }
}
