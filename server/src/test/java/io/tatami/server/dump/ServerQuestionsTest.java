package io.tatami.server.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.DiagnosticsRequest.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is asked of a server whose log is in several files, which may be renamed while they are read. */
class ServerQuestionsTest {
    private static final int PAGE = 4;

    /** A server; the newest file of its log is the first. */
    private static final class Server implements ServerQuestions.Source {
        private final List<String> keys = new ArrayList<>();
        private final List<String> files = new ArrayList<>();
        private Consumer<DiagnosticsRequest> before = request -> {};

        void log(String key, String content) {
            keys.add(0, key);
            files.add(0, content);
        }

        @Override
        public DiagnosticsReply ask(DiagnosticsRequest request) throws TatamiException {
            before.accept(request);
            if (request.getPart() != Part.LOG) {
                return DiagnosticsReply.newBuilder()
                        .setContent(ByteString.copyFromUtf8(request.getPart().toString()))
                        .build();
            }
            if (request.getLogFile() >= files.size()) {
                throw new TatamiException(ErrorCode.NOT_FOUND, "no such file");
            }
            String content = files.get(request.getLogFile());
            long offset = request.getOffset();
            boolean isBeyond = Long.compareUnsigned(offset, content.length()) >= 0;
            String page =
                    isBeyond ? "" : content.substring((int) offset, (int) Math.min(content.length(), offset + PAGE));
            return DiagnosticsReply.newBuilder()
                    .setContent(ByteString.copyFromUtf8(page))
                    .setFileBytes(content.length())
                    .setFileKey(keys.get(request.getLogFile()))
                    .build();
        }
    }

    private static DumpedServer asked(Server server, long logBytes) throws TatamiException {
        DumpedServer found = new DumpedServer("s");
        new ServerQuestions(server, logBytes, found).ask();
        return found;
    }

    private static String log(DumpedServer found) {
        return Objects.requireNonNull(found.files().get("log.txt")).toStringUtf8();
    }

    @Test
    void theNewestBytesAreTakenFromAsManyFilesAsTheyAreIn() throws Exception {
        Server server = new Server();
        server.log("a", "oldest");
        server.log("b", "0123456789");
        server.log("c", "newest");
        assertEquals("est", log(asked(server, 3)));
        assertEquals("6789newest", log(asked(server, 10)));
        DumpedServer all = asked(server, 1_000);
        assertEquals("oldest0123456789newest", log(all));
        assertEquals(List.of(), all.missing());
    }

    @Test
    void aFileThatIsRenamedWhileItIsReadIsFollowedAndTakenOnce() throws Exception {
        Server server = new Server();
        server.log("a", "before");
        server.log("b", "0123456789");
        server.before = request -> {
            if (request.getPart() == Part.LOG && request.getOffset() == PAGE && server.files.size() == 2) {
                server.log("c", "after");
            }
        };
        assertEquals("before0123456789", log(asked(server, 1_000)));
    }

    @Test
    void aLogWithoutALineIsThere() throws Exception {
        Server server = new Server();
        server.log("a", "");
        DumpedServer found = asked(server, 1_000);
        assertEquals("", log(found));
        assertEquals(List.of(), found.missing());
    }

    @Test
    void aServerWithoutALogTellsTheRest() throws Exception {
        DumpedServer found = asked(new Server(), 1_000);
        assertEquals(
                List.of("stacks-1.txt", "settings.txt", "state.txt", "metrics.txt", "stacks-2.txt"),
                List.copyOf(found.files().keySet()));
        assertEquals(List.of("s: log.txt: no such file"), found.missing());
    }

    @Test
    void anInterruptEndsTheQuestions() {
        Server server = new Server();
        DumpedServer found = new DumpedServer("s");
        ServerQuestions.Source interrupted = request -> {
            if (request.getPart() == Part.STATE) {
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted");
            }
            return server.ask(request);
        };
        TatamiException failure =
                assertThrows(TatamiException.class, () -> new ServerQuestions(interrupted, 10, found).ask());
        assertEquals(ErrorCode.CANCELLED, failure.code());
    }
}
