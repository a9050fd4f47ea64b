package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.memory.Faults.Arrival;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.conf.Settings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.Placement;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that go wrong on the way are done once, and handles that are outdated are noticed. */
final class MetadataRetryTest {
    private static final DeleteDirectoryReply UNFINISHED =
            DeleteDirectoryReply.newBuilder().setUnfinished(true).build();

    private final MemoryCluster cluster;
    private final TatamiClient client;

    /** Of whose requests the cluster notes none, and to which nothing happens. */
    private final TatamiClient others;

    MetadataRetryTest() throws TatamiException {
        cluster = new MemoryCluster(1);
        client = cluster.client();
        others = cluster.observer();
        makeDirectory("/a/b");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aRequestWhoseReplyIsLostIsSentAgainUnderTheSameNumber() throws Exception {
        cluster.metadata.faults.loseNextReply(MetaMethods.CREATE);
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        List<Arrival> sent = cluster.metadata.faults.arrivals(MetaMethods.CREATE);
        assertEquals(2, sent.size());
        assertEquals(sent.get(0).number(), sent.get(1).number());
        assertTrue(client.status(path("/a/f"), true).isFile());
    }

    @Test
    void theLowWaterMarkFollowsTheRequestsThatEnded() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        client.delete(path("/a/f"), false);
        Arrival last = cluster.metadata.faults.arrivals(MetaMethods.DELETE_FILE).get(0);
        assertEquals(last.number() - 1, last.lowWaterMark());
    }

    @Test
    void aStaleHandleIsDroppedAndTheRequestSentUnderANewNumber() throws Exception {
        client.create(path("/a/b/f"), CreateSpec.DEFAULT).close();
        others.setAttributes(
                path("/a"), AttributeChange.newBuilder().setMode(0700).build());
        client.create(path("/a/b/g"), CreateSpec.DEFAULT).close();
        List<Arrival> sent = cluster.metadata.faults.arrivals(MetaMethods.CREATE);
        assertEquals(3, sent.size());
        assertNotEquals(sent.get(1).number(), sent.get(2).number());
        assertEquals(2, cluster.metadata.faults.arrivals(MetaMethods.RESOLVE).size());
    }

    @Test
    void aDirectoryThatWasRenamedIsNotFoundUnderItsOldName() throws Exception {
        client.create(path("/a/b/f"), CreateSpec.DEFAULT).close();
        others.rename(path("/a/b"), path("/a/c"), false);
        assertCode(ErrorCode.NOT_FOUND, () -> client.status(path("/a/b/f"), true));
        assertTrue(client.status(path("/a/c/f"), true).isFile());
    }

    @Test
    void aDirectoryThatIsRenamedWhileItIsListedIsListedUnderOneOfItsNames() throws Exception {
        beforeNext(MetaMethods.GET_DIRECTORIES, () -> others.rename(path("/a/b"), path("/a/c"), false));
        assertEquals(List.of("c"), namesIn("/a"));
    }

    /** When the directory has its new name, the file is gone that was there when the name was only kept for it. */
    @Test
    void aDirectoryIsNotListedBesideAFileThatWasDeletedBeforeItCame() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        makeDirectory("/d");
        cluster.metadata.holdReplies(MetaMethods.ANNOUNCE);
        CompletableFuture<Void> renamed = CompletableFuture.runAsync(
                unchecked(() -> others.rename(path("/d"), path("/a/e"), false)),
                command -> new Thread(command).start());
        while (!cluster.metadata.holds() && !renamed.isDone()) {
            Thread.sleep(1);
        }
        beforeNext(MetaMethods.GET_DIRECTORIES, () -> {
            others.delete(path("/a/f"), false);
            cluster.metadata.release();
            renamed.join();
        });
        assertEquals(List.of("b", "e"), namesIn("/a"));
        assertTrue(renamed.isDone());
    }

    @Test
    void aPageIsReadOnceWhereTheClientKnewOfItsDirectories() throws Exception {
        makeDirectory("/a/new");
        client.list(path("/"), false).toList();
        int before = cluster.metadata.faults.arrivals(MetaMethods.LIST).size();
        assertEquals(List.of("b", "new"), namesIn("/a"));
        assertEquals(
                before + 1, cluster.metadata.faults.arrivals(MetaMethods.LIST).size());
    }

    /** The shard says that the path is a file, and a directory is there when the file is asked for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDirectoryThatTakesAFilesPlaceWhileItIsListedIsListed(boolean withLocations) throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        beforeNext(
                MetaMethods.LOOKUP,
                () -> beforeNext(MetaMethods.LOOKUP, () -> {
                    others.delete(path("/a/f"), false);
                    makeDirectory("/a/f");
                }));
        assertEquals(List.of(), client.list(path("/a/f"), withLocations).toList());
    }

    /** The server found a directory; when the client looks, a file has its name. */
    @Test
    void aFileThatTakesADirectorysPlaceInTheMidstOfARenameIsRenamed() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        cluster.metadata.faults.refuseNext(
                MetaMethods.RENAME_FILE,
                new TatamiException(
                        ErrorCode.IS_A_DIRECTORY,
                        "f is a directory",
                        new RefusalSubject.EntrySubject(RefusalSubject.RequestDirectory.SOURCE, "f"),
                        Detail.NONE,
                        null));
        client.rename(path("/a/f"), path("/a/b/g"), false);
        assertTrue(client.status(path("/a/b/g"), true).isFile());
    }

    /** A file was in the way; when the client looks whether it was a symlink, it has gone. */
    @Test
    void whatWasInTheWayOfMkdirsIsToldThoughItHasGone() throws Exception {
        cluster.metadata.faults.refuseNext(
                MetaMethods.MKDIRS, new TatamiException(ErrorCode.NOT_A_DIRECTORY, "/a/x (is not a directory)"));
        assertCode(ErrorCode.NOT_A_DIRECTORY, () -> client.mkdirs(path("/a/x/y"), CreateSpec.modes(0755, 0), true));
        assertTrue(client.mkdirs(path("/a/x/y"), CreateSpec.modes(0755, 0), true));
    }

    @Test
    void aFileThatIsDeletedWhileItIsListedDoesNotEndTheListing() throws Exception {
        FileWriter writer = openAndMove();
        client.create(path("/a/g"), CreateSpec.DEFAULT).close();
        beforeNext(MetaMethods.GET_BLOCKS, () -> deleteMoved(writer.file()));
        assertEquals(List.of("b", "g"), namesIn("/a"));
        assertAskedForBlocks();
        assertCode(ErrorCode.LEASE_EXPIRED, writer::close);
    }

    @Test
    void aFileThatIsClosedAndThenMovedAwayWhileItIsLookedAtIsNotToldAsClosedThere() throws Exception {
        openAndMoveAndCloseElsewhere();
        assertCode(ErrorCode.NOT_FOUND, () -> client.status(path("/a/moved"), true));
    }

    @Test
    void aFileThatIsClosedAndThenMovedAwayWhileItIsListedIsNotListedAsClosedThere() throws Exception {
        openAndMoveAndCloseElsewhere();
        assertEquals(List.of("away", "b"), namesIn("/a"));
    }

    @Test
    void aFileThatIsClosedWhileItIsLookedAtIsToldAsClosed() throws Exception {
        FileWriter writer = openAndMove();
        beforeNext(MetaMethods.GET_BLOCKS, () -> {
            writer.close();
            cluster.metadata.awaitOutboxes();
        });
        assertFalse(client.status(path("/a/moved"), true).isOpen());
        assertAskedForBlocks();
    }

    /** The shard of the name says that the file is open, and the home is asked once more. */
    @Test
    void aFileThatIsClosedIsToldAsClosedBeforeTheShardOfItsNameHasHeardOfIt() throws Exception {
        FileWriter writer = openAndMove();
        cluster.metadata.awaitOutboxes();
        cluster.metadata.holdCalls(MetaMethods.DELIVER);
        beforeNext(MetaMethods.GET_BLOCKS, writer::close);
        assertFalse(client.status(path("/a/moved"), true).isOpen());
        assertEquals(2, cluster.metadata.faults.arrivals(MetaMethods.GET_BLOCKS).size());
        cluster.metadata.release();
        cluster.metadata.awaitOutboxes();
        assertFalse(client.status(path("/a/moved"), true).isOpen());
        assertEquals(2, cluster.metadata.faults.arrivals(MetaMethods.GET_BLOCKS).size(), "now its name says so");
    }

    /** The home closes the file when it does not know yet that its name is in another shard. */
    @Test
    void aFileThatIsClosedBeforeItsHomeHasHeardOfItsMoveIsClosedForTheShardOfItsNameToo() throws Exception {
        cluster.metadata.holdCalls(MetaMethods.DELIVER);
        openAndMove().close();
        cluster.metadata.release();
        cluster.metadata.awaitOutboxes();
        assertFalse(client.status(path("/a/moved"), true).isOpen());
        assertEquals(List.of(), cluster.metadata.faults.arrivals(MetaMethods.GET_BLOCKS));
    }

    /** What the home says of a file in which nothing was written is older than what is set with its name. */
    @Test
    void timesThatAreSetBeforeTheHomeOfAnEmptyFileHasHeardOfItsMoveStay() throws Exception {
        cluster.metadata.holdCalls(MetaMethods.DELIVER);
        openAndMove().close();
        others.setAttributes(
                path("/a/moved"),
                AttributeChange.newBuilder().setModifiedMillis(1_000).build());
        cluster.metadata.release();
        cluster.metadata.awaitOutboxes();
        assertEquals(1_000, client.status(path("/a/moved"), true).attributes().getModifiedMillis());
    }

    private List<String> namesIn(String directory) throws Exception {
        return client.list(path(directory), false).toList().stream()
                .map(entry -> entry.path().name())
                .toList();
    }

    /** Leaves an open file that is closed under another name right before its home is asked about it. */
    private void openAndMoveAndCloseElsewhere() throws Exception {
        FileWriter writer = openAndMove();
        beforeNext(MetaMethods.GET_BLOCKS, () -> {
            others.rename(path("/a/moved"), path("/a/away"), false);
            writer.close();
        });
    }

    /** Leaves an open file at {@code /a/moved}, whose home is another shard than that of its name. */
    private FileWriter openAndMove() throws Exception {
        TatamiPath first = pathInAnotherShard();
        FileWriter writer = client.create(first, CreateSpec.DEFAULT);
        client.rename(first, path("/a/moved"), false);
        assertTrue(client.status(path("/a/moved"), true).isOpen());
        cluster.metadata.faults.forget();
        return writer;
    }

    /** Returns when its home has heard of it, too. */
    private void deleteMoved(FileId file) throws TatamiException {
        others.delete(path("/a/moved"), false);
        ErrorCode told = ErrorCode.BUSY;
        while (told != ErrorCode.NOT_FOUND) {
            try {
                others.open(file, path("/a/moved"), ReadPolicy.ADAPTIVE).close();
            } catch (TatamiException e) {
                told = e.code();
            }
        }
    }

    /** A file's path in a directory whose files are not in the shard of those of {@code /a}. */
    private TatamiPath pathInAnotherShard() throws Exception {
        for (int i = 0; ; i++) {
            String directory = "/other-" + i;
            makeDirectory(directory);
            if (!shardOf(directory).equals(shardOf("/a"))) {
                return path(directory + "/f");
            }
        }
    }

    private GroupId shardOf(String directory) throws Exception {
        DirectoryId id = new DirectoryId(others.status(path(directory), true).id());
        return Placement.shardOf(id, "f", 1, MemoryMetadata.SHARDS);
    }

    private void assertAskedForBlocks() {
        assertEquals(1, cluster.metadata.faults.arrivals(MetaMethods.GET_BLOCKS).size());
    }

    @Test
    void aFileThatIsReplacedWhileItIsLookedAtIsToldAsTheNewOne() throws Exception {
        FileWriter writer = openAndMove();
        client.create(path("/a/g"), CreateSpec.DEFAULT).close();
        long replacing = client.status(path("/a/g"), true).id();
        beforeNext(MetaMethods.GET_BLOCKS, () -> {
            deleteMoved(writer.file());
            others.rename(path("/a/g"), path("/a/moved"), false);
        });
        assertEquals(replacing, client.status(path("/a/moved"), true).id());
        assertAskedForBlocks();
        assertCode(ErrorCode.LEASE_EXPIRED, writer::close);
    }

    @Test
    void anUnknownFileIsAskedForEachTime() throws Exception {
        assertCode(ErrorCode.NOT_FOUND, () -> client.status(path("/a/f"), true));
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        assertTrue(client.status(path("/a/f"), true).isFile());
    }

    @Test
    void aFileInACachedDirectoryCostsOneRequest() throws Exception {
        client.create(path("/a/b/f"), CreateSpec.DEFAULT).close();
        cluster.metadata.faults.forget();
        client.status(path("/a/b/f"), true);
        assertEquals(1, cluster.metadata.faults.total());
    }

    @Test
    void aLostSessionIsReplacedForRequestsThatCannotHaveBeenDone() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.NO_SUCH_SESSION);
        client.create(path("/a/g"), CreateSpec.DEFAULT).close();
        assertEquals(
                2, cluster.metadata.faults.arrivals(MetaMethods.OPEN_SESSION).size());
    }

    @Test
    void aRequestThatMayHaveBeenDoneIsNotSentInANewSession() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        cluster.metadata.faults.loseNextReply(MetaMethods.CREATE);
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.NO_SUCH_SESSION);
        assertCode(ErrorCode.REPLY_EVICTED, () -> client.create(path("/a/g"), CreateSpec.DEFAULT));
    }

    /** The host slept: its monotonic clock stood still, and the groups may have forgotten that they did the request. */
    @Test
    void aRequestOfYesterdayThatMayHaveBeenDoneIsNotSentAgain() throws Exception {
        AtomicLong sleptMillis = new AtomicLong();
        Clock clock = new Clock() {
            @Override
            public long wallMillis() {
                return Clock.SYSTEM.wallMillis() + sleptMillis.get();
            }

            @Override
            public long monotonicNanos() {
                return Clock.SYSTEM.monotonicNanos();
            }
        };
        TatamiClient sleeper = cluster.client(clock);
        cluster.metadata.faults.beforeNext(MetaMethods.CREATE, () -> sleptMillis.set(TimeUnit.HOURS.toMillis(13)));
        cluster.metadata.faults.loseNextReply(MetaMethods.CREATE);
        assertCode(ErrorCode.REPLY_EVICTED, () -> sleeper.create(path("/a/f"), CreateSpec.DEFAULT));
        assertEquals(1, cluster.metadata.faults.arrivals(MetaMethods.CREATE).size());
        sleeper.create(path("/a/g"), CreateSpec.DEFAULT).close();
    }

    /** Nobody waits for it; whoever closes the client may wait for the thread that called. */
    @Test
    void aRequestOfAClientThatIsClosedIsNotSentAgain() {
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.BUSY);
        cluster.metadata.faults.beforeNext(MetaMethods.CREATE, client::close);
        assertCode(ErrorCode.CANCELLED, () -> client.create(path("/a/f"), CreateSpec.DEFAULT));
        assertEquals(1, cluster.metadata.faults.arrivals(MetaMethods.CREATE).size());
    }

    @Test
    void refusalsThatPassAreWaitedOut() throws Exception {
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.BUSY);
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.UNAVAILABLE);
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.NOT_LEADER);
        cluster.metadata.faults.refuseNext(MetaMethods.CREATE, ErrorCode.STALE_SHARD_MAP);
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        assertEquals(5, cluster.metadata.faults.arrivals(MetaMethods.CREATE).size());
    }

    /** The shard keeps the name of a deleted directory for a moment. */
    @Test
    void whoOpensADirectoryThatWasJustDeletedIsToldThatItIsNotThere() {
        LookupReply kept = LookupReply.newBuilder()
                .setStatus(Status.newBuilder().setKind(Status.Kind.DIRECTORY).setId(99))
                .build();
        cluster.metadata.faults.answerNext(MetaMethods.LOOKUP, kept);
        assertCode(ErrorCode.NOT_FOUND, () -> client.open(path("/a/gone"), ReadPolicy.ADAPTIVE));
    }

    @Test
    void aDirectoryIsNotOpened() throws Exception {
        makeDirectory("/a/b");
        assertCode(ErrorCode.IS_A_DIRECTORY, () -> client.open(path("/a/b"), ReadPolicy.ADAPTIVE));
    }

    @Test
    void aDeletionIsAskedForAgainUntilItIsFinished() throws Exception {
        cluster.metadata.faults.refuseNext(MetaMethods.DELETE_DIRECTORY, ErrorCode.UNAVAILABLE);
        cluster.metadata.faults.answerNext(MetaMethods.DELETE_DIRECTORY, UNFINISHED);
        cluster.metadata.faults.answerNext(MetaMethods.DELETE_DIRECTORY, UNFINISHED);
        assertTrue(client.delete(path("/a"), true));
        assertCode(ErrorCode.NOT_FOUND, () -> others.status(path("/a"), true));
        List<Arrival> sent = cluster.metadata.faults.arrivals(MetaMethods.DELETE_DIRECTORY);
        List<Long> numbers = sent.stream().map(Arrival::number).toList();
        assertEquals(4, sent.size());
        assertEquals(numbers.get(0), numbers.get(1));
        assertEquals(3, numbers.stream().distinct().count());
        assertEquals(1, sent.stream().map(Arrival::body).distinct().count());

        makeDirectory("/a");
        assertTrue(client.delete(path("/a"), true));
        Arrival other =
                cluster.metadata.faults.arrivals(MetaMethods.DELETE_DIRECTORY).get(4);
        assertNotEquals(sent.get(0).body(), other.body());
    }

    @Test
    void aDeletionThatIsInterruptedIsNotAskedForAgain() throws Exception {
        cluster.metadata.faults.answerAll(MetaMethods.DELETE_DIRECTORY, UNFINISHED);
        CompletableFuture<TatamiException> failure = new CompletableFuture<>();
        Thread deleter = new Thread(() ->
                failure.complete(assertThrows(TatamiException.class, () -> client.delete(path("/a"), true))));
        deleter.start();
        while (cluster.metadata.faults.arrivals(MetaMethods.DELETE_DIRECTORY).size() < 3 && deleter.isAlive()) {
            Thread.sleep(1);
        }
        deleter.interrupt();
        assertEquals(ErrorCode.CANCELLED, failure.get(1, TimeUnit.MINUTES).code());
        deleter.join();
        // Behind what was on its way when the interrupt came, on the same connection.
        assertTrue(client.status(path("/a"), true).isDirectory());
        cluster.metadata.faults.forget();
        assertTrue(client.status(path("/a"), true).isDirectory());
        assertEquals(
                0,
                cluster.metadata.faults.arrivals(MetaMethods.DELETE_DIRECTORY).size());
    }

    @Test
    void aRefusalThatLastsIsToldOnceTheTimeIsOver() throws Exception {
        TatamiClient hasty = cluster.client(Map.of("tatami.client.operation.timeout", "200ms"));
        for (int i = 0; i < 200; i++) {
            cluster.metadata.faults.refuseNext(MetaMethods.RESOLVE, ErrorCode.BUSY);
        }
        assertCode(ErrorCode.BUSY, () -> hasty.status(path("/a/f"), true));
    }

    @Test
    void aLostLeaseEndsItsWriter() throws Exception {
        TatamiClient quick = cluster.client(Map.of("tatami.client.lease.renewal", "5ms"));
        FileWriter writer = quick.create(path("/a/f"), CreateSpec.DEFAULT);
        assertTrue(others.delete(path("/a/f"), false));
        TatamiException failure = null;
        long giveUp = System.nanoTime() + 10_000_000_000L;
        while (failure == null && System.nanoTime() < giveUp) {
            try {
                writer.write(new byte[1], 0, 1);
            } catch (TatamiException e) {
                failure = e;
            }
        }
        assertTrue(failure != null && failure.code() == ErrorCode.LEASE_EXPIRED, () -> "the writer goes on");
        assertCode(ErrorCode.LEASE_EXPIRED, writer::close);
    }

    @Test
    void symlinksAreToldWithWhatFollowsThem() throws Exception {
        others.createSymlink(path("/a/link"), "b", false);
        client.create(path("/a/b/f"), CreateSpec.DEFAULT).close();
        UnresolvedLinkException above =
                assertThrows(UnresolvedLinkException.class, () -> client.status(path("/a/link/f"), true));
        assertEquals("/a/link", above.link());
        assertEquals("b", above.target());
        assertEquals("/f", above.rest());
        assertThrows(UnresolvedLinkException.class, () -> client.status(path("/a/link"), true));
        assertTrue(client.status(path("/a/link"), false).isSymlink());
        PathStatus followed = client.following(path("/a/link/f"), at -> client.status(at, true));
        assertEquals("/a/b/f", followed.path().toString());
    }

    @Test
    void aCircleOfSymlinksEnds() throws Exception {
        others.createSymlink(path("/a/x"), "y", false);
        others.createSymlink(path("/a/y"), "/a/./x", false);
        assertCode(ErrorCode.PATH_TOO_LONG, () -> client.following(path("/a/x"), at -> client.status(at, true)));
    }

    @Test
    void nobodyServingIsToldWithTheAddressAndTheRemedy() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Settings settings = Settings.of(Map.of("tatami.client.connect.timeout", "100ms"));
        String address = "127.0.0.1:" + free;
        TatamiException failure = assertThrows(
                TatamiException.class, () -> TatamiClient.connect(address, UserIdentity.of("anna"), settings));
        assertEquals(ErrorCode.UNAVAILABLE, failure.code());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains(address) && message.contains("bin/tatami status"), message);
    }

    @Test
    void listingsOfDividedDirectoriesAreInOrderAndComplete() throws Exception {
        long divided = others.status(path("/a"), true).id();
        for (int spread = 1; spread < MemoryMetadata.SHARDS; spread *= 2) {
            cluster.metadata.widen(divided, spread);
        }
        client.create(path("/a/b/f"), CreateSpec.DEFAULT).close();
        TatamiClient paging = cluster.client(Map.of("tatami.client.list.page", "3"));
        for (int i = 0; i < 40; i++) {
            paging.create(path("/a/f" + i), CreateSpec.DEFAULT).close();
        }
        List<PathStatus> listed = paging.list(path("/a"), false).toList();
        assertEquals(41, listed.size());
        List<String> names = listed.stream().map(status -> status.path().name()).toList();
        assertEquals(names.stream().sorted().toList(), names);
        PathStatus directory = listed.get(names.indexOf("b"));
        assertEquals(client.status(path("/a/b"), true).modifiedMillis(), directory.modifiedMillis());
    }

    @Test
    void aFileIsListedAsItself() throws Exception {
        client.create(path("/a/f"), CreateSpec.DEFAULT).close();
        List<PathStatus> listed = client.list(path("/a/f"), false).toList();
        assertEquals(
                List.of("/a/f"), listed.stream().map(s -> s.path().toString()).toList());
        assertFalse(listed.get(0).isDirectory());
    }

    private void makeDirectory(String path) throws TatamiException {
        others.mkdirs(path(path), CreateSpec.modes(0755, 0), true);
    }

    private void beforeNext(Method<?, ?> method, Action action) {
        cluster.metadata.faults.beforeNext(method, unchecked(action));
    }

    private static Runnable unchecked(Action action) {
        return () -> {
            try {
                action.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static TatamiPath path(String text) throws TatamiException {
        return TatamiPath.of(text);
    }

    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private static void assertCode(ErrorCode code, Action action) {
        assertEquals(code, assertThrows(TatamiException.class, action::run).code());
    }
}
