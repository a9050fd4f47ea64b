package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.crash.DirectoryCopy;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.ChangeMetadataServerRequest.Action;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
        return assertThrows(TatamiException.class, () -> admin.cluster().changeMetadataServer(server, action))
                .code();
    }

    private static boolean isGone(ListMetadataServersReply all, ByteString server) {
        return all.getServerList().stream().noneMatch(info -> info.getServerId().equals(server));
    }

    private static String run(int code, Object... words) {
        CommandLine commandLine = TatamiServer.commandLine();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] arguments = Stream.of(words).map(Object::toString).toArray(String[]::new);
        assertEquals(code, commandLine.execute(arguments), () -> out + "" + err);
        return out + "" + err;
    }

    /**
     * The leader ends at the moment at which a group's members were changed and nobody has noted it; and what is left
     * on the server that goes cannot be deleted at once.
     */
    @Test
    void aServerIsAddedThoughTheNamespacesLeaderEndsMeanwhileAndThenTheNextLeaderIsRemoved() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            int first = fleet.namespaceLeader();
            String alone = run(ExitCode.USAGE, "admin", "metadata", "remove", fleet.authority(), fleet.address(first));
            assertTrue(alone.contains("2 metadata servers would remain"), alone);
            fleet.start(3);
            assertEquals(MetadataServerInfo.State.SPARE, fleet.info(3).getState());
            assertEquals(0, fleet.info(3).getHeldGroupCount());
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT, refusal(admin, fleet.id(first), Action.REMOVE), "a spare is no help");

            AtomicBoolean reached = failingOnceAt("meta.move.members-set");
            run(ExitCode.DONE, "admin", "metadata", "add", fleet.authority(), fleet.address(3), "--no-wait");
            fleet.awaitServers(all -> reached.get());
            fleet.kill(first);
            client.awaitSteps(STEPS);
            fleet.start(first);
            fleet.awaitServers(ListMetadataServersReply::getSettled);
            assertEquals(2, fleet.info(3).getHeldGroupCount());
            fleet.assertPlaces();

            int second = fleet.namespaceLeader();
            ByteString leaving = fleet.id(second);
            AtomicBoolean kept = failingOnceAt("meta.move.store-deleted");
            String told = run(ExitCode.DONE, "admin", "metadata", "remove", fleet.authority(), fleet.address(second));
            assertTrue(told.contains("The cluster continues") && told.contains("can be deleted"), told);
            fleet.awaitStores(second, List.of());
            fleet.awaitLogs(second, 0);
            assertTrue(kept.get());
            client.awaitSteps(STEPS);
            fleet.assertPlaces();
            fleet.kill(second);
            TatamiException refused = assertThrows(TatamiException.class, () -> fleet.start(second));
            assertTrue(refused.toString().contains("was removed"), refused::toString);
            assertEquals(ErrorCode.NOT_FOUND, refusal(admin, leaving, Action.ADD));
        });
    }

    /** Whatever is at that point fails, for good; the point is where a process may as well end. */
    private static AtomicBoolean failingOnceAt(String point) {
        AtomicBoolean reached = new AtomicBoolean();
        CrashPoint.listen(name -> {
            if (name.equals(point) && reached.compareAndSet(false, true)) {
                throw new IllegalStateException("cut off at " + name);
            }
        });
        return reached;
    }

    @Tag("soak")
    @Test
    void aDeadServerIsReplaced() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            int dead = 2;
            ByteString leaving = fleet.id(dead);
            fleet.kill(dead);
            client.awaitSteps(STEPS);
            fleet.start(3);
            admin.cluster().changeMetadataServer(fleet.id(3), Action.ADD);
            admin.cluster().changeMetadataServer(leaving, Action.REMOVE);
            fleet.awaitServers(all -> isGone(all, leaving));
            assertEquals(1 + fleet.shards(), fleet.info(3).getHeldGroupCount());
            client.awaitSteps(STEPS);
            fleet.assertPlaces();
        });
    }

    /** It is listed twice at one address then, until its old id is removed. */
    @Tag("soak")
    @Test
    void aWipedHostComesBackAsANewServerAndAnOldCopyOfItsDirectoryNever() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            int host = 2;
            ByteString old = fleet.id(host);
            fleet.kill(host);
            Path copy = directory.resolve("copy");
            DirectoryCopy.make(fleet.directory(host), copy);
            fleet.start(host);
            client.awaitSteps(STEPS);
            fleet.kill(host);
            fleet.wipe(host);
            DirectoryCopy.make(copy, fleet.directory(host));
            TatamiException refused = assertThrows(TatamiException.class, () -> fleet.start(host));
            assertTrue(refused.toString().contains("is an outdated or a second copy"), refused::toString);

            fleet.wipe(host);
            fleet.start(host);
            String twice = run(ExitCode.USAGE, "admin", "metadata", "add", fleet.authority(), fleet.address(host));
            assertTrue(twice.contains("2 metadata servers have the address"), twice);
            ByteString fresh = fleet.awaitServers(all -> all.getServerCount() == 4)
                    .getServer(3)
                    .getServerId();
            admin.cluster().changeMetadataServer(fresh, Action.ADD);
            admin.cluster().changeMetadataServer(old, Action.REMOVE);
            fleet.awaitServers(all -> isGone(all, old));
            assertEquals(fresh, fleet.id(host));
            client.awaitSteps(STEPS);
            fleet.assertPlaces();
        });
    }

    @Tag("soak")
    @Test
    void aRemovalIsCancelled() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            fleet.start(3);
            ByteString stays = fleet.id(0);
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(admin, stays, Action.CANCEL));
            admin.cluster().changeMetadataServer(fleet.id(3), Action.ADD);
            admin.cluster().changeMetadataServer(stays, Action.REMOVE);
            fleet.awaitServers(all -> all.getMoveCount() > 0);
            run(ExitCode.DONE, "admin", "metadata", "remove", fleet.authority(), fleet.address(0), "--cancel");
            ListMetadataServersReply all = fleet.awaitServers(ListMetadataServersReply::getSettled);
            assertEquals(4, all.getServerCount());
            assertTrue(fleet.info(0).getHeldGroupCount() >= 2, () -> "shares are equal: " + all);
            fleet.assertPlaces();
        });
    }

    @Tag("soak")
    @Test
    void groupsAreHandedBackToAServerThatWasAway() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            Map<Integer, ByteString> before = fleet.awaitSteadyLeaders();
            int away = fleet.namespaceLeader();
            fleet.kill(away);
            client.awaitSteps(STEPS);
            fleet.start(away);
            fleet.awaitServers(all -> MetadataFleet.leaders(all).equals(before));
        });
    }

    /** Of a replica that comes and one that goes; then each server ends and comes back. */
    @Tag("soak")
    @Test
    void anyStepOfAMoveMayFailAndAnyServerEndAfterIt() throws Exception {
        whileAClientWorks((fleet, admin, client) -> {
            fleet.start(3);
            admin.cluster().changeMetadataServer(fleet.id(3), Action.ADD);
            fleet.awaitServers(ListMetadataServersReply::getSettled);
            int leaving = 3;
            for (String point : List.of(
                    "meta.move.replica-named",
                    "meta.move.replica-opened",
                    "meta.move.members-set",
                    "meta.move.replica-unnamed",
                    "meta.move.store-deleted",
                    "meta.move.log-deleted",
                    "meta.move.replica-dropped")) {
                AtomicBoolean reached = failingOnceAt(point);
                admin.cluster().changeMetadataServer(fleet.id(leaving), Action.REMOVE);
                fleet.awaitServers(all -> reached.get());
                admin.cluster().changeMetadataServer(fleet.id(leaving), Action.CANCEL);
                for (int server = 0; server <= 3; server++) {
                    fleet.kill(server);
                    client.awaitSteps(STEPS);
                    fleet.start(server);
                }
                fleet.assertPlaces();
                leaving = (leaving + 1) % 4;
            }
        });
    }
}
