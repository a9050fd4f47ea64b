package io.tatami.meta.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.flush.FlushMode;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.log.raft.Member;
import io.tatami.meta.log.raft.RaftHost;
import io.tatami.meta.log.raft.RaftReplica;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.relay.FreePorts;
import io.tatami.relay.TcpRelay;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Metadata servers of one group in one JVM, over real stores, logs and sockets; without the service above them. */
public final class ReplicaCluster implements AutoCloseable {
    static final GroupId GROUP = GroupId.ofShard(3);
    private static final long LIMIT_MILLIS = 120_000;
    /** BUSY is a leader that makes room for another. */
    private static final Set<ErrorCode> MAYBE_LATER =
            Set.of(ErrorCode.NOT_LEADER, ErrorCode.UNAVAILABLE, ErrorCode.BUSY);

    private static final String MARK = "mark";
    private static final String BEHIND_RELAY = "127.0.0.2";
    private static final long RATE = 1L << 30;

    private final UUID cluster = UUID.randomUUID();
    private final Path directory;
    private final RaftSettings settings;
    private final StoreMemory memory = new StoreMemory(new StoreSettings(32 << 20, 16 << 20, 64, 2));
    private final List<Node> nodes = new ArrayList<>();
    private boolean relayed;
    private long logMillis = 1_000;
    private long marks;

    /** @param settings with short elections: a slow machine has more of them, and nothing waits for their number */
    public ReplicaCluster(Path directory, RaftSettings settings) {
        this.directory = directory;
        this.settings = settings;
    }

    /** Others reach each server through a relay from here on, see {@link Node#relay}. */
    public ReplicaCluster withRelays() {
        relayed = true;
        return this;
    }

    public static RaftSettings settings() {
        return new RaftSettings(
                Duration.ofMillis(400), Duration.ofMillis(800), 1_000_000, 1L << 30, 8 << 20, RATE, FlushMode.ONCE);
    }

    /** With elections after so long. */
    public static RaftSettings settings(Duration electionMin, Duration electionMax) {
        return new RaftSettings(electionMin, electionMax, 1_000_000, 1L << 30, 8 << 20, RATE, FlushMode.ONCE);
    }

    /** Snapshots after so many entries, and segments so short that what is before them goes. */
    public static RaftSettings settings(int snapshotEntries, long segmentBytes) {
        return receivingAt(RATE, snapshotEntries, segmentBytes);
    }

    /** As {@link #settings()}, and snapshots come in at so many bytes a second. */
    static RaftSettings receivingAt(long bytesPerSecond) {
        return receivingAt(bytesPerSecond, 1_000_000, 8 << 20);
    }

    /** As {@link #settings(int, long)}, and snapshots come in at so many bytes a second. */
    static RaftSettings receivingAt(long bytesPerSecond, int snapshotEntries, long segmentBytes) {
        return new RaftSettings(
                Duration.ofMillis(400),
                Duration.ofMillis(800),
                snapshotEntries,
                1L << 30,
                segmentBytes,
                bytesPerSecond,
                FlushMode.ONCE);
    }

    /** As {@link #settings(int, long)}, and snapshots that come are flushed in a mode. */
    static RaftSettings flushing(FlushMode mode, int snapshotEntries, long segmentBytes) {
        return new RaftSettings(
                Duration.ofMillis(400), Duration.ofMillis(800), snapshotEntries, 1L << 30, segmentBytes, RATE, mode);
    }

    /** What a leader was given. */
    public record Lead(Node node, GroupStore store, CommitLog log) {}

    /** One server; its directory outlives its process. */
    public final class Node implements RaftReplica.Listener {
        public final Member member;
        final Path home;
        public final AtomicReference<@Nullable Lead> lead = new AtomicReference<>();
        public final BlockingQueue<TatamiException> failures = new LinkedBlockingQueue<>();
        volatile boolean excluded;
        /** In the place of what the settings say. */
        volatile @Nullable TreeFlush flush;

        private final @Nullable TcpRelay relay;
        private @Nullable RaftHost host;
        private volatile @Nullable RaftReplica replica;

        private Node(Path home, InetSocketAddress address) throws IOException {
            this.member = new Member(UUID.randomUUID(), address);
            this.home = home;
            int port = member.address().getPort();
            this.relay = relayed
                    ? new TcpRelay(new InetSocketAddress("127.0.0.1", port), new InetSocketAddress(BEHIND_RELAY, port))
                    : null;
        }

        public TcpRelay relay() {
            return relay == null ? fail("without relays") : relay;
        }

        public void open(List<Member> founders) throws TatamiException, IOException {
            Files.createDirectories(home);
            String bindHost = relay == null ? "127.0.0.1" : BEHIND_RELAY;
            Path logs = home.resolve("raft");
            TreeFlush given = flush;
            RaftHost opened = given == null
                    ? RaftHost.open(cluster, member, bindHost, logs, settings)
                    : RaftHost.open(cluster, member, bindHost, logs, settings, given);
            host = opened;
            replica = opened.open(GROUP, store(), memory, founders, this);
        }

        public Path store() {
            return home.resolve("shard-3");
        }

        /** Where the log is that was opened here. */
        public Path logs() throws IOException {
            try (Stream<Path> groups = Files.list(home.resolve("raft"))) {
                return groups.map(group -> group.resolve("current"))
                        .filter(Files::isDirectory)
                        .findFirst()
                        .orElseThrow();
            }
        }

        /** The places in the log that its snapshots stand for, oldest first. */
        List<Long> snapshots() throws IOException {
            try (Stream<Path> below = Files.list(logs().resolveSibling("sm"))) {
                return below.map(path -> path.getFileName().toString().split("-"))
                        .map(name -> Long.parseLong(name[2]))
                        .sorted()
                        .toList();
            }
        }

        public void close() {
            RaftHost open = host;
            host = null;
            replica = null;
            if (open != null) {
                open.close();
            }
        }

        boolean isOpen() {
            return replica != null;
        }

        @Nullable
        RaftReplica replicaIfOpen() {
            return replica;
        }

        public RaftReplica replica() {
            RaftReplica open = replica;
            if (open == null) {
                throw new IllegalStateException("closed");
            }
            return open;
        }

        public ProgressRecord progress() {
            return replica().store().progress();
        }

        @Override
        public void leads(GroupStore store, CommitLog log) {
            lead.set(new Lead(this, store, log));
        }

        @Override
        public CompletableFuture<Void> follows() {
            lead.set(null);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void excluded() {
            excluded = true;
        }

        @Override
        public void failed(TatamiException reason) {
            failures.add(reason);
        }

        public TatamiException awaitFailure() throws InterruptedException {
            TatamiException reason = failures.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
            return reason == null ? fail("the replica did not fail") : reason;
        }
    }

    /** Servers that found the group. */
    public List<Node> found(int count) throws Exception {
        List<Node> founders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            founders.add(add());
        }
        List<Member> members = founders.stream().map(node -> node.member).toList();
        for (Node node : founders) {
            node.open(members);
        }
        return founders;
    }

    /** A server that has nothing yet and was not started. */
    public Node add() throws IOException {
        return addAt(FreePorts.find());
    }

    /** As {@link #add}, where another one was before. */
    Node addAt(InetSocketAddress address) throws IOException {
        return addAt(address, directory.resolve("server-" + nodes.size()));
    }

    /** As {@link #add}, with its directory there. */
    Node addIn(Path home) throws IOException {
        return addAt(FreePorts.find(), home);
    }

    private Node addAt(InetSocketAddress address, Path home) throws IOException {
        Node node = new Node(home, address);
        nodes.add(node);
        return node;
    }

    public StoreMemory memory() {
        return memory;
    }

    /** Whether a node leads. */
    public boolean isLed() {
        return nodes.stream().anyMatch(node -> node.lead.get() != null);
    }

    /** Waits until a node leads, and returns it. */
    public Node awaitLeader() throws Exception {
        AtomicReference<@Nullable Node> found = new AtomicReference<>();
        await("a leader", () -> {
            for (Node node : nodes) {
                if (node.lead.get() != null && node.isOpen()) {
                    found.set(node);
                }
            }
            return found.get() != null;
        });
        Node leader = found.get();
        return leader == null ? fail("no leader") : leader;
    }

    /**
     * Commits by whoever leads, as often as it takes, and once: what a failed try has left is known by a mark that the
     * entry carries. By one thread at a time.
     */
    public void commit(String... keysAndValues) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        marks++;
        String mark = Long.toString(marks);
        String[] marked = Arrays.copyOf(keysAndValues, keysAndValues.length + 2);
        marked[keysAndValues.length] = MARK;
        marked[keysAndValues.length + 1] = mark;
        while (true) {
            Lead lead = awaitLeader().lead.get();
            if (lead != null && (read(lead.store(), MARK).equals(mark) || tryCommit(lead, marked))) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                fail("nobody commits " + Arrays.toString(keysAndValues));
            }
        }
    }

    private boolean tryCommit(Lead lead, String... keysAndValues) throws InterruptedException {
        try {
            lead.log().commit(entry(lead.store().appliedIndex() + 1, keysAndValues));
            return true;
        } catch (TatamiException e) {
            assertTrue(MAYBE_LATER.contains(e.code()), e::toString);
            System.out.println("another try after " + e);
            TimeUnit.MILLISECONDS.sleep(20);
            return false;
        }
    }

    /** An empty value removes its key. */
    public LogEntry entry(long index, String... keysAndValues) {
        NavigableMap<byte[], Draft.Change> changes = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            String value = keysAndValues[i + 1];
            changes.put(
                    keysAndValues[i].getBytes(UTF_8), new Draft.Change(value.isEmpty() ? null : value.getBytes(UTF_8)));
        }
        logMillis++;
        return new LogEntry(index, logMillis, changes);
    }

    public static String read(GroupStore store, String key) {
        byte[] value = store.liveView().get(key.getBytes(UTF_8));
        return value == null ? "" : new String(value, UTF_8);
    }

    /** Waits until all that are open have applied as much as any, and their hashes are equal. */
    public void awaitEqual() throws Exception {
        await("equal replicas", () -> {
            long applied = nodes.stream()
                    .filter(Node::isOpen)
                    .mapToLong(node -> node.progress().getAppliedIndex())
                    .max()
                    .orElse(0);
            return nodes.stream()
                    .filter(Node::isOpen)
                    .allMatch(node -> node.progress().getAppliedIndex() == applied);
        });
        List<ProgressRecord> all =
                nodes.stream().filter(Node::isOpen).map(Node::progress).toList();
        all.forEach(progress -> assertEquals(all.get(0), progress));
    }

    public static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS);
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                fail("no " + what + " within " + LIMIT_MILLIS + " ms");
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Override
    public void close() throws IOException {
        // Each waits for Ratis's threads to end.
        CompletableFuture.allOf(nodes.stream()
                        .map(node -> CompletableFuture.runAsync(node::close, end -> new Thread(end).start()))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        for (Node node : nodes) {
            if (node.relay != null) {
                node.relay.close();
            }
        }
        memory.close();
    }
}
