package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.MetadataServerTest.call;
import static io.tatami.meta.service.host.MetadataServerTest.register;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.rpc.MapChanges;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is told how much of the cluster map. */
final class ClusterMapAnswersTest {
    private static final String SUPERUSER = System.getProperty("user.name");

    @TempDir
    private Path directory = Path.of("");

    private MetadataServer open() throws TatamiException {
        return MetadataServer.open(
                new ServerLocation(directory, "127.0.0.1", 0),
                new NewCluster(1, List.of(GroupId.NAMESPACE, GroupId.ofShard(0))),
                Settings.defaults(),
                user -> List.of(),
                new ManualClock());
    }

    @Test
    void whoNamesTheMapThatItHasIsToldWhatHasChanged() throws TatamiException {
        try (MetadataServer server = open()) {
            RegisterBlockServerReply unused = register(server, 1);
            ClusterMap known = server.map();
            int second = register(server, 2).getServerId();
            GetClusterMapReply told = ask(server, MapChanges.question(known));
            assertFalse(told.hasMap());
            ClusterMap changed = told.getChanges().getChanged();
            assertEquals(1, changed.getBlockServerCount());
            assertEquals(second, changed.getBlockServer(0).getServerId());
            assertEquals(0, changed.getGroupCount());
            assertEquals(server.map(), MapChanges.read(known, told));
        }
    }

    @Test
    void whoNamesNoMapAsAnEarlierReleaseIsToldAllOfIt() throws TatamiException {
        try (MetadataServer server = open()) {
            RegisterBlockServerReply unused = register(server, 1);
            GetClusterMapReply told = ask(server, GetClusterMapRequest.getDefaultInstance());
            assertFalse(told.hasChanges());
            assertEquals(server.map(), told.getMap());
        }
    }

    @Test
    void behindARestartTheMapThatWasKnownIsNotTakenForAnotherOfItsRevision() throws TatamiException {
        ClusterMap known;
        try (MetadataServer server = open()) {
            RegisterBlockServerReply unused = register(server, 1);
            known = server.map();
        }
        try (MetadataServer server = open()) {
            RegisterBlockServerReply unused = register(server, 2);
            GetClusterMapReply told = ask(server, MapChanges.question(known));
            assertFalse(told.hasChanges());
            assertEquals(server.map(), MapChanges.read(known, told));
        }
    }

    @Test
    void aBlockServerIsToldTheGroupsAlone() throws TatamiException {
        try (MetadataServer server = open()) {
            RegisterBlockServerReply registered = register(server, 1);
            HeartbeatReply heard = call(
                    server,
                    SUPERUSER,
                    GroupId.NAMESPACE,
                    MetaMethods.HEARTBEAT,
                    HeartbeatRequest.newBuilder()
                            .setServerId(registered.getServerId())
                            .build());
            for (ClusterMap map : List.of(registered.getMap(), heard.getMap())) {
                assertEquals(server.map().getEpoch(), map.getEpoch());
                assertEquals(2, map.getGroupCount());
                assertEquals(0, map.getBlockServerCount());
            }
        }
    }

    private static GetClusterMapReply ask(MetadataServer server, GetClusterMapRequest request) throws TatamiException {
        return call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.GET_CLUSTER_MAP, request);
    }
}
