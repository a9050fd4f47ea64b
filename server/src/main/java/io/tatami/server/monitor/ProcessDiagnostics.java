package io.tatami.server.monitor;

import com.google.protobuf.ByteString;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.Handler;
import io.tatami.rpc.Responder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What this process tells administrators who look for the cause of a fault. Whether a caller may know it is checked
 * before. Stacks, settings and the log are told also while a part of the process hangs that is asked for its state or
 * its metrics. One request of either kind is answered at a time, on a thread of its own. Safe for use by many threads.
 */
final class ProcessDiagnostics implements Handler<DiagnosticsRequest, DiagnosticsReply>, AutoCloseable {
    static final int WAITING_MAX = 16;
    private static final int TEXT_BYTES_MAX = 2 << 20;
    private static final int LOG_FILES_MAX = 1_000;
    private static final String CUT = "\n(the rest is left out: it is longer than " + TEXT_BYTES_MAX + " bytes)\n";

    private final ProcessText process;
    private final Supplier<String> metrics;
    private final Map<String, Supplier<String>> parts = new ConcurrentSkipListMap<>();
    private final ThreadPoolExecutor asksParts = thread("diagnostics-of-parts");
    private final ThreadPoolExecutor asksNobody = thread("diagnostics");

    /** @param metrics empty where none are counted */
    ProcessDiagnostics(ProcessText process, Supplier<String> metrics) {
        this.process = process;
        this.metrics = metrics;
    }

    private static ThreadPoolExecutor thread(String name) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING_MAX), Threads.daemons(name));
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /** A part of this process from now on, and how it is. */
    void add(String part, Supplier<String> state) {
        parts.put(part, state);
    }

    @Override
    public void handle(CallContext context, DiagnosticsRequest request, Responder<DiagnosticsReply> responder) {
        ThreadPoolExecutor thread = switch (request.getPart()) {
            case METRICS, STATE -> asksParts;
            case SETTINGS, STACKS, LOG, UNKNOWN, UNRECOGNIZED -> asksNobody;
        };
        try {
            thread.execute(() -> answer(request, responder));
        } catch (RejectedExecutionException e) {
            responder.failure(new TatamiException(
                    ErrorCode.BUSY, WAITING_MAX + " requests for diagnostics of this process wait; try again", e));
        }
    }

    private void answer(DiagnosticsRequest request, Responder<DiagnosticsReply> responder) {
        DiagnosticsReply reply;
        try {
            reply = reply(request);
        } catch (TatamiException | RuntimeException e) {
            responder.failure(Causes.of(e));
            return;
        }
        responder.success(reply);
    }

    private DiagnosticsReply reply(DiagnosticsRequest request) throws TatamiException {
        return switch (request.getPart()) {
            case SETTINGS -> text(process.process() + "\n" + process.settings());
            case STACKS -> text(ProcessText.stacks());
            case METRICS -> text(metrics());
            case STATE -> text(state());
            case LOG -> log(request);
            case UNKNOWN, UNRECOGNIZED ->
                throw new TatamiException(
                        ErrorCode.UNSUPPORTED, "this release has no such part of diagnostics; upgrade this server");
        };
    }

    private String metrics() throws TatamiException {
        String text = metrics.get();
        if (text.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "nothing is counted, as this process was started with tatami.http.port=none");
        }
        return text;
    }

    /** A part that fails tells so, and hides no other. */
    private String state() {
        StringBuilder text = new StringBuilder();
        parts.forEach((part, state) -> {
            text.append("== ").append(part).append('\n');
            try {
                text.append(state.get());
            } catch (RuntimeException e) {
                text.append("its state cannot be told: ").append(e);
            }
            text.append('\n');
        });
        return text.isEmpty() ? "no server of this process serves yet\n" : text.toString();
    }

    private static DiagnosticsReply text(String text) {
        ByteString content = ByteString.copyFrom(text, StandardCharsets.UTF_8);
        if (content.size() > TEXT_BYTES_MAX) {
            content = content.substring(0, TEXT_BYTES_MAX).concat(ByteString.copyFromUtf8(CUT));
        }
        return DiagnosticsReply.newBuilder().setContent(content).build();
    }

    private static DiagnosticsReply log(DiagnosticsRequest request) throws TatamiException {
        int file = request.getLogFile();
        if (file < 0 || file > LOG_FILES_MAX) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND, "there is no log before " + LOG_FILES_MAX + " others of this process");
        }
        LogFiles.Page page = LogFiles.read(file, request.getOffset());
        return DiagnosticsReply.newBuilder()
                .setContent(ByteString.copyFrom(page.content()))
                .setFileBytes(page.fileBytes())
                .setFileKey(page.fileKey())
                .build();
    }

    @Override
    public void close() {
        asksParts.shutdownNow();
        asksNobody.shutdownNow();
    }
}
