package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.ChangeMetadataServerRequest.Action;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metadata servers come and go while a client works, which loses nothing and sees no error. */
final class MetadataChangeTest {
    private static final long SEED = Long.getLong("tatami.test.seed", System.nanoTime());
    private static final int STEPS = 5;

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void passCrashPoints() {
        CrashPoint.listen(null);
    }

    private interface Course {
        void run(MetadataFleet fleet, TatamiClient admin, FailoverClient client) throws Exception;
    }

    private void whileAClientWorks(Course course) throws Exception {
        System.out.println("tatami.test.seed=" + SEED);
        try (MetadataFleet fleet = new MetadataFleet(directory, Settings.defaults(), 2)) {
            fleet.form();
            try (TatamiClient admin = fleet.connect();
                    FailoverClient client = new FailoverClient(fleet.connect(), "works", SEED)) {
                client.start();
                client.awaitSteps(STEPS);
                course.run(fleet, admin, client);
                client.awaitSteps(STEPS);
                client.check(admin);
            }
        }
    }

    private static ErrorCode refusal(TatamiClient admin, ByteString server, Action action) {
        return assertThrows(TatamiException.class, () -> admin.changeMetadataServer(server, action))
                .code();
    }

    private static boolean isGone(ListMetadataServersReply all, ByteString server) {
        return all.getServerList().stream()
                .noneMatch(info -> info.getServerId().equals(server));
    }

    /** Whoever leads the namespace when it is asked to leave. */
    @Test
    void oneServerIsAddedAndThenTheNamespacesLeaderIsRemoved() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            int leader = fleet.namespaceLeader();
            ByteString leaving = fleet.id(leader);
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(admin, leaving, Action.REMOVE), "two would remain");
            fleet.start(3);
            assertEquals(MetadataServerInfo.State.SPARE, fleet.info(3).getState());
            assertEquals(0, fleet.info(3).getHeldGroupCount());
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(admin, leaving, Action.REMOVE), "a spare one does not count");

            admin.changeMetadataServer(fleet.id(3), Action.ADD);
            fleet.awaitServers(ListMetadataServersReply::getSettled);
            assertEquals(2, fleet.info(3).getHeldGroupCount());
            fleet.assertPlaces();
            client.awaitSteps(STEPS);

            admin.changeMetadataServer(leaving, Action.REMOVE);
            fleet.awaitServers(all -> isGone(all, leaving));
            fleet.awaitStores(leader, List.of());
            client.awaitSteps(STEPS);
            fleet.assertPlaces();
            fleet.kill(leader);
            TatamiException refused = assertThrows(TatamiException.class, () -> fleet.start(leader));
            assertTrue(refused.getMessage().contains("was removed"), refused::toString);
            assertEquals(ErrorCode.NOT_FOUND, refusal(admin, leaving, Action.ADD));
        });
    }

    @Test
    void aDeadServerIsReplaced() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            int dead = 2;
            ByteString leaving = fleet.id(dead);
            fleet.kill(dead);
            client.awaitSteps(STEPS);
            fleet.start(3);
            admin.changeMetadataServer(fleet.id(3), Action.ADD);
            admin.changeMetadataServer(leaving, Action.REMOVE);
            fleet.awaitServers(all -> isGone(all, leaving));
            assertEquals(1 + fleet.shards(), fleet.info(3).getHeldGroupCount());
            client.awaitSteps(STEPS);
            fleet.assertPlaces();
        });
    }

    /** At the moment at which a group's members were changed and nobody has noted it. */
    @Test
    void theNamespacesLeaderEndsInTheMidstOfAMove() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            fleet.start(3);
            int leader = fleet.namespaceLeader();
            AtomicBoolean reached = new AtomicBoolean();
            CrashPoint.listen(name -> {
                if (name.equals("meta.move.members-set") && reached.compareAndSet(false, true)) {
                    throw new IllegalStateException("cut off at " + name);
                }
            });
            admin.changeMetadataServer(fleet.id(3), Action.ADD);
            fleet.awaitServers(all -> reached.get());
            fleet.kill(leader);
            client.awaitSteps(STEPS);
            fleet.awaitServers(ListMetadataServersReply::getSettled);
            fleet.start(leader);
            fleet.assertPlaces();
        });
    }

    @Test
    void aRemovalIsCancelled() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            fleet.start(3);
            ByteString stays = fleet.id(0);
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(admin, stays, Action.CANCEL));
            admin.changeMetadataServer(fleet.id(3), Action.ADD);
            admin.changeMetadataServer(stays, Action.REMOVE);
            fleet.awaitServers(all -> all.getMoveCount() > 0);
            admin.changeMetadataServer(stays, Action.CANCEL);
            ListMetadataServersReply all = fleet.awaitServers(ListMetadataServersReply::getSettled);
            assertEquals(4, all.getServerCount());
            assertTrue(fleet.info(0).getHeldGroupCount() >= 2, () -> "shares are equal: " + all);
            fleet.assertPlaces();
        });
    }
}
