package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.XAttr;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is as long as a request or a reply may be, and longer, on a cluster in one process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LongRequestsTest {
    private static final Settings SETTINGS =
            Settings.of(Map.of("tatami.client.operation.timeout", "60s", "tatami.client.list.page", "4000"));
    private static final UserIdentity USER = UserIdentity.of(System.getProperty("user.name"));

    /** Together more than a message may have. */
    private static final int BEARERS = 12;

    private static final int ATTRIBUTES = 30;
    private static final int ATTRIBUTE_BYTES = 16_000;

    private StandaloneNode node;
    private TatamiClient client;
    private TatamiPath home;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 1L << 30, "localhost", 0, 1),
                SETTINGS,
                user -> List.of());
        client = TatamiClient.connect(ClusterAddress.of(node.uri()).authority(), USER, SETTINGS);
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        node.close();
    }

    @BeforeEach
    void makeHome(TestInfo test) throws Exception {
        home = TatamiPath.of("/" + test.getTestMethod().orElseThrow().getName()
                + test.getDisplayName().hashCode());
        assertTrue(client.mkdirs(home, CreateSpec.modes(0755, 0), true));
    }

    @ParameterizedTest
    @ValueSource(ints = {RequestLimits.BULK_DELETE_ITEMS - 1, RequestLimits.BULK_DELETE_ITEMS, 1_001, 2_001})
    void anyNumberOfPathsIsDeletedByOneCall(int count) throws Exception {
        List<TatamiPath> paths = paths("f", count);
        for (int i = 0; i < count; i += 250) {
            client.create(paths.get(i), CreateSpec.DEFAULT).close();
        }
        client.create(paths.get(count - 1), CreateSpec.DEFAULT.withOverwrite(true))
                .close();
        assertEquals(List.of(), client.bulkDelete(paths));
        assertEquals(List.of(), client.list(home, false).toList());
    }

    @Test
    void concatOfMoreSourcesThanOneRequestTakesIsRefusedAndChangesNothing() throws Exception {
        TatamiPath target = home.child("target");
        writeByte(target);
        List<TatamiPath> sources = paths("s", RequestLimits.CONCAT_SOURCES + 1);
        for (TatamiPath source : sources) {
            writeByte(source);
        }
        TatamiException refused = assertThrows(TatamiException.class, () -> client.concat(target, sources));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertTrue(refused.toString().contains("one call joins at most 1000"), refused::toString);
        assertEquals(1, client.status(target, true).lengthBytes());
        client.concat(target, sources.subList(0, RequestLimits.CONCAT_SOURCES));
        assertEquals(
                RequestLimits.CONCAT_SOURCES + 1, client.status(target, true).lengthBytes());
        client.concat(target, sources.subList(RequestLimits.CONCAT_SOURCES, sources.size()));
        assertEquals(1, client.list(home, false).toList().size());
    }

    private void writeByte(TatamiPath path) throws IOException {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT)) {
            writer.write(new byte[] {1}, 0, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RequestLimits.DIRECTORIES - 1, RequestLimits.DIRECTORIES, RequestLimits.DIRECTORIES + 1})
    void pageOfAnyNumberOfDirectoriesIsListed(int count) throws Exception {
        for (TatamiPath path : paths("d", count)) {
            client.mkdirs(path, CreateSpec.modes(0755, 0), false);
        }
        List<PathStatus> listed = client.list(home, false).toList();
        assertEquals(count, listed.size());
        assertTrue(listed.stream().allMatch(PathStatus::isDirectory));
    }

    @Test
    void listingOfFilesWithManyAttributesGoesInPages() throws Exception {
        for (TatamiPath path : paths("f", BEARERS)) {
            client.create(path, CreateSpec.DEFAULT).close();
            fill(path);
        }
        assertListedWithAttributes();
    }

    @Test
    void listingOfDirectoriesWithManyAttributesGoesInPages() throws Exception {
        for (TatamiPath path : paths("d", BEARERS)) {
            client.mkdirs(path, CreateSpec.modes(0755, 0), false);
            fill(path);
        }
        assertListedWithAttributes();
    }

    private void assertListedWithAttributes() throws TatamiException {
        List<PathStatus> listed = client.list(home, false).toList();
        assertEquals(BEARERS, listed.size());
        for (PathStatus status : listed) {
            assertEquals(ATTRIBUTES, status.attributes().getXattrList().size());
        }
    }

    private void fill(TatamiPath path) throws TatamiException {
        Random random = new Random(3);
        for (int i = 0; i < ATTRIBUTES; i++) {
            byte[] value = new byte[ATTRIBUTE_BYTES];
            random.nextBytes(value);
            client.setAttributes(
                    path,
                    AttributeChange.newBuilder()
                            .setXattr(AttributeChange.XAttrChange.newBuilder()
                                    .setXattr(XAttr.newBuilder()
                                            .setName("user.a" + i)
                                            .setValue(ByteString.copyFrom(value))))
                            .build());
        }
    }

    /** Past the client, which divides what is too long. */
    @Test
    void serverRefusesWhatIsAboveALimit() throws Exception {
        RpcSettings settings = RpcSettings.from(Settings.defaults());
        try (EventLoops loops = new EventLoops("test", settings);
                RpcClient rpc = new RpcClient(loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", USER))) {
            Connection connection = rpc.connect(new InetSocketAddress(
                            "localhost", URI.create(node.uri()).getPort()))
                    .join();
            BulkDeleteRequest.Builder request = BulkDeleteRequest.newBuilder();
            for (int i = 0; i <= RequestLimits.BULK_DELETE_ITEMS; i++) {
                request.addItem(BulkDeleteRequest.Item.newBuilder().setName("f" + i));
            }
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> connection.callAndWait(
                            MetaMethods.BULK_DELETE,
                            CallOptions.DEFAULT.withGroup(GroupId.ofShard(0)),
                            request.build()));
            assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
            assertTrue(refused.toString().contains("at most 1000 are taken"), refused::toString);
        }
    }

    private List<TatamiPath> paths(String prefix, int count) {
        List<TatamiPath> paths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            paths.add(home.listedChild(prefix + i));
        }
        return paths;
    }
}
