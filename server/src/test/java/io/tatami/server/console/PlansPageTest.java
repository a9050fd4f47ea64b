package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AnnouncedPlan;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.PlanReadsRequest;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.node.BlockNode;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose access plans are and what they are about: who hears it, and what is told where a client says nothing. */
@Timeout(120)
class PlansPageTest {
    private static final long TIER_BYTES = 16L << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private ServedConsole console;
    private TatamiClient superuser;
    private EventLoops loops;

    @BeforeEach
    void start() throws Exception {
        console = new ServedConsole(directory, "100ms", new BlockNode.CachePlace(null, TIER_BYTES));
        superuser = console.client();
        loops = new EventLoops("test", RpcSettings.from(Settings.defaults()));
    }

    @AfterEach
    void stop() throws Exception {
        loops.close();
        superuser.close();
        console.close();
    }

    /** Makes a file that everybody may read, and has a user plan to read it. */
    private UUID plan(String user, String path) throws Exception {
        ServedConsole.write(superuser, path, 1 << 20, CreateSpec.DEFAULT);
        AccessPlan plan = AccessPlan.inOrder(AccessPlan.Read.whole(TatamiPath.of(path)));
        try (TatamiClient client = console.client(user)) {
            assertEquals(1, client.prefetch(plan).size());
        }
        return plan.id();
    }

    private static String mark(UUID plan) {
        return plan.toString().substring(0, 8);
    }

    /** Asks the block server as a user does, past the client. */
    private Connection connect(RpcClient rpc) throws Exception {
        Endpoint data = superuser.cluster().map().getBlockServer(0).getData();
        return rpc.connect(new InetSocketAddress(data.getHost(), data.getPort()))
                .get();
    }

    private RpcClient rpc(String user) throws Exception {
        return new RpcClient(
                loops,
                RpcSettings.from(Settings.defaults()),
                Clock.SYSTEM,
                ClientIdentity.simple("test", UserIdentity.of(user)));
    }

    /** As a client of an earlier release begins a plan. */
    private UUID planWithoutWords(String user) throws Exception {
        UUID plan = UUID.randomUUID();
        try (RpcClient rpc = rpc(user)) {
            var unused = connect(rpc).callAndWait(BlockMethods.PLAN_READS, CallOptions.DEFAULT, request(plan, ""));
        }
        return plan;
    }

    private static PlanReadsRequest request(UUID plan, String about) {
        return PlanReadsRequest.newBuilder()
                .setPlanId(ByteString.copyFrom(UuidBytes.of(plan)))
                .setKeepMillis(60_000)
                .setAbout(about)
                .build();
    }

    /** What administrators are told, once so many plans are known. */
    private JsonNode told(int plans) throws Exception {
        String[] bearer = {"Authorization", "Bearer " + console.session()};
        while (true) {
            HttpResponse<String> answer = console.get("/api/admin/plans", bearer);
            assertEquals(200, answer.statusCode(), answer.body());
            JsonNode told = JSON.readTree(answer.body()).get("plans");
            if (told.size() == plans) {
                return told;
            }
            Thread.sleep(50);
        }
    }

    @Test
    void administratorsSeeWhosePlansAreAndWhatTheyAreAbout() throws Exception {
        assertFalse(console.firstFigures().isNull());
        String path = "/" + FilePagesTest.SCRIPT;
        UUID first = plan("anna", path);
        UUID second = planWithoutWords("bert");
        JsonNode told = told(2);
        assertEquals(mark(first), told.get(0).get("plan").asText());
        assertEquals("anna", told.get(0).get("user").asText());
        assertEquals(path, told.get(0).get("about").asText());
        assertEquals(mark(second), told.get(1).get("plan").asText());
        assertEquals("bert", told.get(1).get("user").asText());
        assertEquals("", told.get(1).get("about").asText());
    }

    @Test
    void othersSeeHowFarPlansAreAndNoMore() throws Exception {
        UUID plan = plan("anna", "/salaries");
        HttpResponse<String> all = console.get("/api/plans");
        while (!all.body().contains(mark(plan))) {
            Thread.sleep(50);
            all = console.get("/api/plans");
        }
        assertFalse(all.body().contains("salaries"), all.body());
        assertFalse(all.body().contains("anna"), all.body());
        assertEquals(401, console.get("/api/admin/plans").statusCode());
        try (TatamiClient bert = console.client("bert")) {
            assertEquals(
                    List.of(),
                    bert.cluster().announcedPlans(bert.cluster().map().getBlockServerList(), TIMEOUT));
        }
    }

    /** What a user is told of, by mark. */
    private Map<String, String> plansOf(String user) throws Exception {
        ReadStatisticsRequest request =
                ReadStatisticsRequest.newBuilder().setOnlyPlans(true).build();
        Map<String, String> told = new HashMap<>();
        try (RpcClient rpc = rpc(user)) {
            for (AnnouncedPlan plan : connect(rpc)
                    .callAndWait(BlockMethods.READ_STATISTICS, CallOptions.DEFAULT, request)
                    .getPlanList()) {
                assertEquals(user, plan.getUser());
                told.put(ClusterJson.mark(plan.getMark()), plan.getAbout());
            }
        }
        return told;
    }

    @Test
    void aUserHearsOfOwnPlansOnly() throws Exception {
        UUID plan = plan("anna", "/salaries");
        UUID other = planWithoutWords("bert");
        assertEquals(Map.of(mark(plan), "/salaries"), plansOf("anna"));
        assertEquals(Map.of(mark(other), ""), plansOf("bert"));
        assertEquals(Map.of(), plansOf("carl"));
    }

    @Test
    void aPlanStaysThatOfWhoBeganItAndLongWordsAreRefused() throws Exception {
        UUID plan = plan("anna", "/salaries");
        try (RpcClient rpc = rpc("bert")) {
            Connection connection = connect(rpc);
            var unused = connection.callAndWait(BlockMethods.PLAN_READS, CallOptions.DEFAULT, request(plan, "mine"));
            PlanReadsRequest tooLong = request(UUID.randomUUID(), "x".repeat(RequestLimits.PLAN_ABOUT_BYTES + 1));
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> connection.callAndWait(BlockMethods.PLAN_READS, CallOptions.DEFAULT, tooLong));
            assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("about has 257 bytes, at most 256"),
                    refused.getMessage());
        }
        assertEquals(Map.of(mark(plan), "/salaries"), plansOf("anna"));
        assertEquals(Map.of(), plansOf("bert"));
    }
}
