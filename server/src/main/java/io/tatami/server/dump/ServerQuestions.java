package io.tatami.server.dump;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.DiagnosticsRequest.Part;
import java.util.HashSet;
import java.util.Set;

/**
 * Asks one server for all that it tells of itself: its threads first and once more at the end, so that two moments can
 * be compared. Used by one thread.
 */
final class ServerQuestions {
    /** The log goes on in a new file while it is read; more often than that it is not followed. */
    private static final int LOG_FILES_MAX = 100;

    private final Source source;
    private final long logBytes;
    private final DumpedServer found;

    /** The files of the log that were read, by their keys. */
    private final Set<String> read = new HashSet<>();

    /** One server. */
    @FunctionalInterface
    interface Source {
        DiagnosticsReply ask(DiagnosticsRequest request) throws TatamiException;
    }

    /**
     * @param logBytes of its log, the newest
     * @param found takes what it tells
     */
    ServerQuestions(Source source, long logBytes, DumpedServer found) {
        this.source = source;
        this.logBytes = logBytes;
        this.found = found;
    }

    /**
     * Asks. What the server does not tell is noted.
     *
     * @throws TatamiException CANCELLED where this thread is interrupted; where the server cannot be asked at all as
     *     that failed
     */
    void ask() throws TatamiException {
        found.add("stacks-1.txt", text(Part.STACKS));
        add("settings.txt", Part.SETTINGS);
        add("state.txt", Part.STATE);
        add("metrics.txt", Part.METRICS);
        askForLog();
        add("stacks-2.txt", Part.STACKS);
    }

    private void add(String file, Part part) throws TatamiException {
        try {
            found.add(file, text(part));
        } catch (TatamiException e) {
            lacks(file, e);
        }
    }

    private void lacks(String file, TatamiException failure) throws TatamiException {
        if (failure.code() == ErrorCode.CANCELLED) {
            throw failure;
        }
        found.lacks(file, String.valueOf(failure.getMessage()));
    }

    private ByteString text(Part part) throws TatamiException {
        return source.ask(DiagnosticsRequest.newBuilder().setPart(part).build()).getContent();
    }

    /** The newest bytes, from as many files as they are in, in the order in which they were written. */
    private void askForLog() throws TatamiException {
        ByteString log = ByteString.EMPTY;
        int files = 0;
        try {
            while (files < LOG_FILES_MAX && log.size() < logBytes) {
                log = endOf(files, logBytes - log.size()).concat(log);
                files++;
            }
        } catch (TatamiException e) {
            boolean isBehindTheOldest = e.code() == ErrorCode.NOT_FOUND && files > 0;
            if (!isBehindTheOldest) {
                lacks("log.txt", e);
            }
        }
        if (files > 0) {
            found.add("log.txt", log);
        }
    }

    /**
     * The last bytes of a file as it is now; where it is given another number meanwhile, it is followed. None of a file
     * that was read under another number.
     */
    private ByteString endOf(int number, long bytesMax) throws TatamiException {
        DiagnosticsReply first = source.ask(log(number, -1));
        if (!read.add(first.getFileKey())) {
            return ByteString.EMPTY;
        }
        long offset = Math.max(0, first.getFileBytes() - bytesMax);
        ByteString content = ByteString.EMPTY;
        int file = number;
        while (offset < first.getFileBytes()) {
            DiagnosticsReply page = source.ask(log(file, offset));
            if (!page.getFileKey().equals(first.getFileKey()) && file < number + LOG_FILES_MAX) {
                file++;
                continue;
            }
            if (page.getContent().isEmpty()) {
                break;
            }
            content = content.concat(page.getContent());
            offset += page.getContent().size();
        }
        return content;
    }

    private static DiagnosticsRequest log(int file, long offset) {
        return DiagnosticsRequest.newBuilder()
                .setPart(Part.LOG)
                .setLogFile(file)
                .setOffset(offset)
                .build();
    }
}
