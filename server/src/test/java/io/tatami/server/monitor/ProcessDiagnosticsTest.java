package io.tatami.server.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.DiagnosticsRequest.Part;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Responder;
import io.tatami.server.node.SettingsOfAll;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a process tells of itself while its parts hang or fail. */
class ProcessDiagnosticsTest {
    private static final CallContext CALLER = new CallContext(
            new CallContext.Peer(InetSocketAddress.createUnresolved("host", 1), "test", true, "c"),
            UserIdentity.of("root"),
            CallOptions.DEFAULT,
            0);

    private final CountDownLatch end = new CountDownLatch(1);
    private final ProcessDiagnostics diagnostics =
            new ProcessDiagnostics(new ProcessText(SettingsOfAll.catalog(), Settings.defaults(), "1.2.3"), () -> "");

    @AfterEach
    void close() {
        end.countDown();
        diagnostics.close();
    }

    private CompletableFuture<String> ask(Part part) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        DiagnosticsRequest request =
                DiagnosticsRequest.newBuilder().setPart(part).build();
        diagnostics.handle(CALLER, request, new Responder<DiagnosticsReply>() {
            @Override
            public void success(DiagnosticsReply reply) {
                answer.complete(reply.getContent().toStringUtf8());
            }

            @Override
            public void failure(TatamiException failure) {
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    private static ErrorCode refusal(CompletableFuture<String> answer) {
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
        return Causes.of(thrown).code();
    }

    private void await() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void stacksAreToldWhileAPartHangsAndSoManyRequestsForItWait() throws Exception {
        diagnostics.add("a volume", () -> {
            await();
            return "well";
        });
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i <= ProcessDiagnostics.WAITING_MAX; i++) {
            waiting.add(ask(Part.STATE));
        }
        // The first is begun or waits too, so the one after these is surely beyond.
        waiting.add(ask(Part.STATE));
        assertEquals(ErrorCode.BUSY, refusal(waiting.get(ProcessDiagnostics.WAITING_MAX + 1)));
        assertTrue(ask(Part.STACKS).get(60, TimeUnit.SECONDS).contains("stacksAreToldWhileAPartHangs"));
        end.countDown();
        assertEquals("== a volume\nwell\n", waiting.get(0).get(60, TimeUnit.SECONDS));
    }

    @Test
    void aPartThatFailsHidesNoOther() throws Exception {
        diagnostics.add("a", () -> {
            throw new IllegalStateException("broken");
        });
        diagnostics.add("b", () -> "well");
        String told = ask(Part.STATE).get(60, TimeUnit.SECONDS);
        assertTrue(told.contains("== a\nits state cannot be told: java.lang.IllegalStateException: broken"), told);
        assertTrue(told.contains("== b\nwell"), told);
    }

    @Test
    void metricsThatAreNotCountedAndUnknownPartsAreRefused() {
        assertEquals(ErrorCode.UNSUPPORTED, refusal(ask(Part.METRICS)));
        assertEquals(ErrorCode.UNSUPPORTED, refusal(ask(Part.UNKNOWN)));
    }

    @Test
    void aTextThatIsTooLongIsCutAndSaysSo() throws Exception {
        diagnostics.add("a", () -> "x".repeat(3 << 20));
        String told = ask(Part.STATE).get(60, TimeUnit.SECONDS);
        assertTrue(told.length() < (2 << 20) + 200, () -> "it has " + told.length());
        assertTrue(told.endsWith("is longer than 2097152 bytes)\n"));
    }
}
