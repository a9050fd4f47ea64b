package io.tatami.server.dump;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.client.ClusterAdmin;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.rpc.GroupLeaders;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Asks all servers of a cluster for what they tell of themselves, {@value #AT_ONCE} at a time, and puts it into an
 * archive. What a server does not tell is listed, and hides nothing of the others. Needs no group that leads: metadata
 * servers tell of themselves, and ask block servers. Used by one thread.
 */
public final class ClusterDump {
    private static final int AT_ONCE = 4;
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    private static final String LIST = "contents.txt";

    private final ClusterAdmin admin;
    private final long logBytes;
    private final DumpArchive archive;
    private final Progress progress;
    private final List<String> missing = new ArrayList<>();

    /** Is told how far the dump is. */
    @FunctionalInterface
    public interface Progress {
        void of(int servers, int all);
    }

    /** @param logBytes of the log of each server, the newest */
    public ClusterDump(ClusterAdmin admin, long logBytes, DumpArchive archive, Progress progress) {
        this.admin = admin;
        this.logBytes = logBytes;
        this.archive = archive;
        this.progress = progress;
    }

    /** Something to do with one server, on another thread. */
    @FunctionalInterface
    private interface Questions {
        DumpedServer ask() throws TatamiException;
    }

    /**
     * Asks, and writes all but the end of the archive.
     *
     * @param title the first line of the list of what is missing
     * @return a line for each thing that is missing, with the reason
     * @throws TatamiException PERMISSION_DENIED for a user who is no superuser; UNAVAILABLE where no metadata server
     *     answers; CANCELLED where this thread is interrupted; IO_ERROR of the archive
     */
    public List<String> run(String title) throws TatamiException {
        List<BlockServerInfo> blockServers = admin.map().getBlockServerList().stream()
                .filter(server -> server.getState() != BlockServerInfo.State.GONE)
                .toList();
        Collection<InetSocketAddress> listed = addStatus();
        Collection<InetSocketAddress> metadata = ServerNames.distinct(listed, admin.metadataAddresses());
        int all = metadata.size() + blockServers.size();
        List<InetSocketAddress> answering = new ArrayList<>();
        List<Questions> ofMetadata = new ArrayList<>();
        metadata.forEach(server -> ofMetadata.add(() -> ofMetadata(server, answering)));
        askAll(ofMetadata, 0, all);
        List<Questions> ofBlocks = new ArrayList<>();
        for (int i = 0; i < blockServers.size(); i++) {
            BlockServerInfo server = blockServers.get(i);
            int first = i;
            ofBlocks.add(() -> ofBlockServer(server, answering, first));
        }
        askAll(ofBlocks, metadata.size(), all);
        archive.add(LIST, ByteString.copyFromUtf8(title + "\n" + contents()));
        return List.copyOf(missing);
    }

    private String contents() {
        return missing.isEmpty() ? "Nothing is missing.\n" : "Missing:\n" + String.join("\n", missing) + "\n";
    }

    /** What {@code tatami status --json} tells; the metadata servers in it. */
    private List<InetSocketAddress> addStatus() throws TatamiException {
        StatusReport report;
        try {
            report = StatusReport.of(admin);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CANCELLED) {
                throw e;
            }
            missing.add("status.json: " + e.getMessage());
            return List.of();
        }
        archive.add("status.json", ByteString.copyFromUtf8(StatusJson.of(report) + "\n"));
        return report.metadata().stream()
                .map(server -> GroupLeaders.address(server.getEndpoint()))
                .toList();
    }

    private DumpedServer ofMetadata(InetSocketAddress server, List<InetSocketAddress> answering)
            throws TatamiException {
        DumpedServer found = new DumpedServer("metadata-servers/" + ServerNames.directory(server));
        try {
            new ServerQuestions(request -> admin.diagnostics(server, request, CALL_TIMEOUT), logBytes, found).ask();
            synchronized (answering) {
                answering.add(server);
            }
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.PERMISSION_DENIED || e.code() == ErrorCode.CANCELLED) {
                throw e;
            }
            found.lacks("all", String.valueOf(e.getMessage()));
        }
        return found;
    }

    /** By another metadata server where the first cannot. */
    private DumpedServer ofBlockServer(BlockServerInfo server, List<InetSocketAddress> answering, int first)
            throws TatamiException {
        DumpedServer found =
                new DumpedServer("block-servers/" + server.getServerId() + "_" + ServerNames.directory(server));
        String reason = "no metadata server answers that could ask it";
        for (int attempt = 0; attempt < Math.min(2, answering.size()); attempt++) {
            InetSocketAddress by = answering.get((first + attempt) % answering.size());
            try {
                new ServerQuestions(request -> ask(by, server, request), logBytes, found).ask();
                return found;
            } catch (TatamiException e) {
                if (e.code() == ErrorCode.CANCELLED) {
                    throw e;
                }
                reason = String.valueOf(e.getMessage());
            }
        }
        found.lacks("all", reason);
        return found;
    }

    private DiagnosticsReply ask(InetSocketAddress by, BlockServerInfo server, DiagnosticsRequest request)
            throws TatamiException {
        return admin.diagnostics(
                by, request.toBuilder().setServerId(server.getServerId()).build(), CALL_TIMEOUT);
    }

    /** No more servers are asked than are written, so that few answers are in memory. */
    private void askAll(List<Questions> questions, int before, int all) throws TatamiException {
        Deque<Questions> left = new ArrayDeque<>(questions);
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, Threads.daemons("dump"));
        ExecutorCompletionService<DumpedServer> asked = new ExecutorCompletionService<>(threads);
        try {
            int running = 0;
            for (int done = before; done < before + questions.size(); done++) {
                progress.of(done, all);
                for (; running < AT_ONCE && !left.isEmpty(); running++) {
                    var unused = asked.submit(left.remove()::ask);
                }
                add(asked.take().get());
                running--;
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TatamiException failure) {
                throw failure.again();
            }
            throw new IllegalStateException("a server could not be asked", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while servers are asked", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private void add(DumpedServer server) throws TatamiException {
        for (var file : server.files().entrySet()) {
            archive.add(server.name() + "/" + file.getKey(), file.getValue());
        }
        missing.addAll(server.missing());
    }
}
