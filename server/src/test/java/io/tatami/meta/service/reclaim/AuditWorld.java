package io.tatami.meta.service.reclaim;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.copies.FailCopies;
import io.tatami.meta.op.copies.GiveUpCopy;
import io.tatami.meta.op.copies.IntendCopies;
import io.tatami.meta.op.copies.ReadNeeds;
import io.tatami.meta.op.copies.RecordCopies;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.reclaim.RecordDamage;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.RenewBlock;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.FailCopiesRequest;
import io.tatami.meta.state.wire.GiveUpCopyRequest;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.IntendCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.NeedsPageRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.AuditedVolume;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.UnknownCopy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A shard with the real operations, and four block servers that are maps of copies. What audits and reclaiming ask for
 * is carried out one step at a time, and between any two steps anything may happen: files are written, appended to and
 * deleted, copies made, given up, damaged and lost, servers fall silent, volumes go and come back. Judges what is
 * deleted and what is written down. Owned by one thread.
 */
final class AuditWorld implements Group<ShardState>, GroupPeers, Clock {
    private static final int SERVERS = 4;
    private static final int BULK_BLOCKS = 400;

    /** Few, so that much happens to each. */
    private static final int FILES_MAX = 5;

    private final Random random;
    private final FileShard shard = new FileShard();
    private final Map<Integer, SortedMap<Long, Stored>> disks = new TreeMap<>();
    private final Set<Integer> silent = new HashSet<>();
    private final Set<Integer> withoutVolume = new HashSet<>();
    private final List<OpenFile> open = new ArrayList<>();
    private final List<ClosedFile> closed = new ArrayList<>();

    /** Copies whose servers have been told to make them, and those that are made and not reported. */
    private final List<Pull> pulls = new ArrayList<>();

    private final List<Pull> reports = new ArrayList<>();
    private final List<Pull> takenAway = new ArrayList<>();
    private final List<DamagedCopiesRequest> damageNotices = new ArrayList<>();

    /** Of this very copy there was a time at which it was lost or damaged. */
    private final Set<CopyId> everUnsound = new HashSet<>();

    private final Deque<Runnable> steps = new ArrayDeque<>();
    private long nowNanos;
    private int names;

    /** What came about. */
    final Map<String, Long> counts;

    private record Stored(int number, long generation, long length, boolean damaged) {}

    private record CopyId(int server, long block, int number) {}

    private record ClosedFile(FileId file, String name) {}

    private record OpenFile(ClosedFile file, long block, long generation, long length, List<Integer> servers) {}

    private record Pull(int server, long block, int number, long generation, long length) {}

    AuditWorld(long seed, Map<String, Long> counts) throws Exception {
        this.random = new Random(seed);
        this.counts = counts;
        for (int server = 1; server <= SERVERS; server++) {
            disks.put(server, new TreeMap<>());
        }
        addBulk();
    }

    /** A file with a block on every server for each one that could be unknown: few unknown ones are reclaimed only. */
    private void addBulk() throws Exception {
        long[] lengths = new long[BULK_BLOCKS];
        Arrays.fill(lengths, 1);
        FileId file = shard.written("bulk", lengths);
        shard.change(state -> {
            for (int index = 0; index < BULK_BLOCKS; index++) {
                BlockRecord.Builder block = Objects.requireNonNull(state.block(file, index)).toBuilder();
                for (int server = 1; server <= SERVERS; server++) {
                    if (BlockCopies.on(block, new ServerId(server)).isEmpty()) {
                        block.addServerId(server);
                    }
                    BlockId id = new BlockId(block.getBlockId());
                    state.putReplica(new ServerId(server), id, state.replicaFromNow(file, true));
                    disk(server).put(id.value(), new Stored(0, block.getGeneration(), block.getLength(), false));
                    state.needs().remove(id);
                }
                state.changeBlock(file, index, block.build());
            }
        });
    }

    PartContext<ShardState> parts() {
        GroupRecord record = GroupRecord.newBuilder().setShards(1).build();
        return new PartContext<>(this, record, this, shard.signer, this, Settings.defaults());
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** Carries out {@code work} step by step; before each step something may happen. */
    <T> @Nullable T finish(CompletableFuture<T> work, boolean quiet) throws Exception {
        while (!work.isDone()) {
            while (!quiet && random.nextInt(5) != 0) {
                happen();
            }
            Runnable step = steps.poll();
            if (step == null) {
                throw new AssertionError("nothing is left to do, and the work has not ended");
            }
            step.run();
        }
        return work.isCompletedExceptionally() ? null : work.join();
    }

    private void count(String event) {
        counts.merge(event, 1L, Long::sum);
    }

    private SortedMap<Long, Stored> disk(int server) {
        return Objects.requireNonNull(disks.get(server));
    }

    private int anyServer() {
        return 1 + random.nextInt(SERVERS);
    }

    /** One thing at random. */
    void happen() throws Exception {
        switch (random.nextInt(22)) {
            case 0, 1 -> begin();
            case 2, 3 -> close();
            case 4 -> unlink();
            case 5 -> append();
            case 6, 7 -> intend();
            case 8 -> pull();
            case 9 -> report();
            case 10 -> failIntent();
            case 11 -> {
                Pull unused = giveUp();
            }
            case 12 -> damage();
            case 13 -> tellOfDamage();
            case 14 -> lose();
            case 15, 16 -> deleteQueued();
            case 17, 18 -> takeAway();
            case 19, 20 -> makeAgain();
            default -> turn();
        }
    }

    private void begin() throws Exception {
        if (open.size() >= 4 || closed.size() >= FILES_MAX) {
            return;
        }
        String name = "f" + names++;
        long id = shard.create(name, 0).getStatus().getId();
        AddBlocksRequest more =
                AddBlocksRequest.newBuilder().setFileId(id).setGrants(1).build();
        Grant grant = shard.run(new AddBlocks(), more).getGrant(0);
        write(
                new ClosedFile(new FileId(id), name),
                grant.getBlockId(),
                grant.getGeneration(),
                0,
                grant.getServerIdList());
        count("begun");
    }

    private void write(ClosedFile file, long block, long generation, long before, List<Integer> servers) {
        long length = before + 1 + random.nextInt(50);
        for (int server : servers) {
            disk(server).put(block, new Stored(number(file.file(), block, server), generation, length, false));
        }
        open.add(new OpenFile(file, block, generation, length, servers));
    }

    private int number(FileId file, long block, int server) {
        return shard.state().blocks(file).stream()
                .filter(record -> record.getBlockId() == block)
                .flatMap(record -> BlockCopies.on(record, new ServerId(server)).stream())
                .mapToInt(Copy::number)
                .findFirst()
                .orElse(0);
    }

    private void close() throws Exception {
        if (open.isEmpty()) {
            return;
        }
        OpenFile file = open.remove(random.nextInt(open.size()));
        shard.run(
                new CompleteFile(FileLimits.DEFAULT),
                CompleteRequest.newBuilder()
                        .setFileId(file.file().file().value())
                        .addWritten(BlockReport.newBuilder()
                                .setBlockId(file.block())
                                .setGeneration(file.generation())
                                .setLength(file.length()))
                        .build());
        closed.add(file.file());
        count("closed");
    }

    private void unlink() {
        if (!closed.isEmpty()) {
            ClosedFile file = closed.remove(random.nextInt(closed.size()));
            shard.change(state -> FileRemoval.unlinkHome(state, file.file()));
            count("unlinked");
        }
    }

    /** On all servers that have the block whole; a lost copy would have been left out before. */
    private void append() throws Exception {
        if (closed.isEmpty()) {
            return;
        }
        ClosedFile file = closed.get(random.nextInt(closed.size()));
        BlockRecord block = shard.state().block(file.file(), 0);
        if (block == null || !isWhole(block)) {
            return;
        }
        AppendReply reply = shard.append(file.name());
        if (!reply.hasLastBlock()) {
            // A server of it takes no blocks, or its copy is believed bad: the file would go on in a new block.
            shard.run(
                    new CompleteFile(FileLimits.DEFAULT),
                    CompleteRequest.newBuilder().setFileId(file.file().value()).build());
            count("not appended");
            return;
        }
        closed.remove(file);
        write(
                file,
                block.getBlockId(),
                reply.getLastBlock().getGeneration(),
                block.getLength(),
                reply.getLastBlock().getServerIdList());
        shard.run(
                new RenewBlock(),
                RenewBlockRequest.newBuilder()
                        .setFileId(file.file().value())
                        .setBlockId(block.getBlockId())
                        .setGeneration(reply.getLastBlock().getGeneration())
                        .setRecoveryId(reply.getRecoveryId())
                        .setCommitted(true)
                        .build());
        count("appended");
    }

    private boolean isWhole(BlockRecord block) {
        for (Copy copy : BlockCopies.counted(block)) {
            Stored stored = disk(copy.server().value()).get(block.getBlockId());
            if (stored == null || stored.number() != copy.number() || stored.damaged()) {
                return false;
            }
        }
        return true;
    }

    private @Nullable NeededBlock anyBlock() throws Exception {
        if (closed.isEmpty()) {
            return null;
        }
        BlockRecord block =
                shard.state().block(closed.get(random.nextInt(closed.size())).file(), 0);
        return block == null ? null : seen(block.getBlockId());
    }

    private NeededBlock seen(long block) throws Exception {
        return shard.run(
                        new ReadNeeds(),
                        NeedsPageRequest.newBuilder().addBlockId(block).build())
                .getItem(0);
    }

    private void intend() throws Exception {
        NeededBlock seen = anyBlock();
        if (seen != null) {
            Pull unused = intend(seen, new ServerId(anyServer()));
        }
    }

    private @Nullable Pull intend(NeededBlock seen, ServerId server) throws Exception {
        shard.run(
                new IntendCopies(),
                IntendCopiesRequest.newBuilder()
                        .addItem(IntendCopiesRequest.Item.newBuilder()
                                .setSeen(seen)
                                .setUrgency(Urgency.UNJUDGED.number())
                                .addServerId(server.value()))
                        .build());
        BlockRecord now = seen(seen.getBlockId()).getBlock();
        for (Copy copy : BlockCopies.intended(now)) {
            if (copy.server().equals(server)) {
                Pull pull =
                        new Pull(server.value(), now.getBlockId(), copy.number(), now.getGeneration(), now.getLength());
                pulls.add(pull);
                count("intended");
                return pull;
            }
        }
        return null;
    }

    /** A copy is given up and deleted, to be made again on the same server. */
    private void takeAway() throws Exception {
        Pull taken = giveUp();
        if (taken != null) {
            while (disk(taken.server()).containsKey(taken.block())) {
                deleteQueued();
            }
            takenAway.add(taken);
        }
    }

    private void makeAgain() throws Exception {
        if (takenAway.isEmpty()) {
            return;
        }
        Pull taken = takenAway.remove(random.nextInt(takenAway.size()));
        NeededBlock seen = seen(taken.block());
        Pull made = seen.hasBlock() ? intend(seen, new ServerId(taken.server())) : null;
        if (made != null && pull(made)) {
            report(made);
            count("made again");
        }
    }

    private void pull() {
        if (!pulls.isEmpty()) {
            boolean unused = pull(pulls.get(random.nextInt(pulls.size())));
        }
    }

    /** A pull is finished, however old; not beside another copy that is there. */
    private boolean pull(Pull pull) {
        pulls.remove(pull);
        Stored stored = new Stored(pull.number(), pull.generation(), pull.length(), false);
        if (disk(pull.server()).putIfAbsent(pull.block(), stored) != null) {
            return false;
        }
        reports.add(pull);
        count("pulled");
        return true;
    }

    private void report() throws Exception {
        if (!reports.isEmpty()) {
            report(reports.get(random.nextInt(reports.size())));
        }
    }

    /** It may come again. */
    private void report(Pull made) throws Exception {
        shard.run(
                new RecordCopies(),
                CopiesMadeRequest.newBuilder()
                        .setServerId(made.server())
                        .addItem(CopiesMadeRequest.Item.newBuilder()
                                .setBlockId(made.block())
                                .setCopyNumber(made.number())
                                .setGeneration(made.generation())
                                .setLength(made.length()))
                        .build());
        if (random.nextInt(4) != 0) {
            reports.remove(made);
        }
        count("reported");
    }

    private void failIntent() throws Exception {
        NeededBlock seen = anyBlock();
        if (seen != null && seen.getBlock().getIntendedCount() > 0) {
            Copy copy = BlockCopies.intended(seen.getBlock()).get(0);
            failIntent(seen.getBlockId(), copy);
        }
    }

    private void failIntent(long block, Copy copy) throws Exception {
        shard.run(
                new FailCopies(),
                FailCopiesRequest.newBuilder()
                        .addItem(FailCopiesRequest.Item.newBuilder()
                                .setBlockId(block)
                                .setServerId(copy.server().value())
                                .setCopyNumber(copy.number()))
                        .build());
    }

    /** @return the copy that was given up, if one was */
    private @Nullable Pull giveUp() throws Exception {
        NeededBlock seen = anyBlock();
        if (seen == null || seen.getBlock().getServerIdCount() < 2) {
            return null;
        }
        List<Copy> counted = BlockCopies.counted(seen.getBlock());
        Copy given = counted.get(random.nextInt(counted.size()));
        GiveUpCopyRequest.Builder request = GiveUpCopyRequest.newBuilder()
                .setSeen(seen)
                .setServerId(given.server().value())
                .setNeeded(1)
                .setMapAskedNanos(0);
        for (Copy copy : counted) {
            Stored stored = disk(copy.server().value()).get(seen.getBlockId());
            if (stored != null && stored.number() == copy.number() && !stored.damaged()) {
                request.addConfirmed(GiveUpCopyRequest.Confirmed.newBuilder()
                        .setServerId(copy.server().value()));
            }
        }
        if (!shard.run(new GiveUpCopy(() -> 0), request.build(), contextOfAllServers())
                .getGivenUp()) {
            return null;
        }
        count("given up");
        return new Pull(given.server().value(), seen.getBlockId(), given.number(), 0, 0);
    }

    private RequestContext contextOfAllServers() {
        return new RequestContext(
                shard.caller, shard.session, shard.nowMillis, shard.nowMillis, Set.of(), map(), true, false, "");
    }

    private void damage() {
        int server = anyServer();
        Long block = anyStored(server);
        if (block != null) {
            Stored stored = Objects.requireNonNull(disk(server).get(block));
            disk(server).put(block, new Stored(stored.number(), stored.generation(), stored.length(), true));
            everUnsound.add(new CopyId(server, block, stored.number()));
            damageNotices.add(DamagedCopiesRequest.newBuilder()
                    .setServerId(server)
                    .addBlockId(block)
                    .addCopyNumber(stored.number())
                    .build());
            count("damaged");
        }
    }

    /** Of the blocks that are not of the bulk. */
    private @Nullable Long anyStored(int server) {
        List<Long> stored = new ArrayList<>();
        for (ClosedFile file : closed) {
            BlockRecord block = shard.state().block(file.file(), 0);
            if (block != null && disk(server).containsKey(block.getBlockId())) {
                stored.add(block.getBlockId());
            }
        }
        return stored.isEmpty() || stored.size() > BULK_BLOCKS ? null : stored.get(random.nextInt(stored.size()));
    }

    private void tellOfDamage() throws Exception {
        if (!damageNotices.isEmpty()) {
            shard.run(new RecordDamage(), damageNotices.remove(random.nextInt(damageNotices.size())));
            judgeProblems();
        }
    }

    private void lose() {
        int server = anyServer();
        Long block = anyStored(server);
        if (block != null && random.nextInt(3) == 0) {
            Stored stored = Objects.requireNonNull(disk(server).remove(block));
            everUnsound.add(new CopyId(server, block, stored.number()));
            count("lost");
        }
    }

    /** As the reclaimer has it done before an audit ends; what is confirmed is lost. */
    private void deleteQueued() {
        byte[] prefix = Keys.kind('q');
        List<ReclaimRecord> queued = new ArrayList<>();
        try (View.Cursor cursor = shard.store().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                queued.add(ShardState.parse(cursor.value(), ReclaimRecord.parser()));
            }
        }
        if (!queued.isEmpty()) {
            ReclaimRecord reclaim = queued.get(random.nextInt(queued.size()));
            for (Copy copy : BlockCopies.reclaimed(reclaim)) {
                DeleteBlocksReply unused = delete(
                        copy.server().value(),
                        DeleteBlocksRequest.newBuilder()
                                .addItem(DeleteBlocksRequest.Item.newBuilder()
                                        .setBlockId(reclaim.getBlockId())
                                        .setGeneration(reclaim.getGeneration())
                                        .setCopyNumber(copy.number()))
                                .build());
            }
        }
    }

    /** A server or a volume goes or comes back. */
    private void turn() {
        Set<Integer> away = random.nextBoolean() ? silent : withoutVolume;
        int server = anyServer();
        if (!away.remove(server) && random.nextInt(10) == 0) {
            away.add(server);
            count("away");
        }
    }

    /** All is well from here on: what was begun is ended, and servers say what they have. */
    void calm() throws Exception {
        silent.clear();
        withoutVolume.clear();
        while (!open.isEmpty()) {
            close();
        }
        while (!pulls.isEmpty()) {
            pull();
        }
        while (!reports.isEmpty()) {
            report();
        }
        for (ClosedFile file : List.copyOf(closed)) {
            BlockRecord block = Objects.requireNonNull(shard.state().block(file.file(), 0));
            for (Copy copy : BlockCopies.intended(block)) {
                failIntent(block.getBlockId(), copy);
            }
        }
    }

    /** After two rounds and all deletions: each server has what the shard knows, and what is wrong is written down. */
    void judgeRest() {
        Set<CopyId> known = new HashSet<>();
        List<ClosedFile> files = new ArrayList<>(closed);
        for (ClosedFile file : files) {
            BlockRecord block = Objects.requireNonNull(shard.state().block(file.file(), 0));
            for (Copy copy : BlockCopies.all(block)) {
                int server = copy.server().value();
                known.add(new CopyId(server, block.getBlockId(), copy.number()));
                Problem problem = Objects.requireNonNull(
                                shard.state().replica(copy.server(), new BlockId(block.getBlockId())))
                        .getProblem();
                require(
                        problem == truth(server, copy.number(), block),
                        copy + " of " + block + " is called " + problem);
            }
        }
        long bulk = known.size();
        disks.forEach((server, disk) -> disk.forEach((block, stored) -> {
            boolean isBulk = shard.state().fileOf(new BlockId(block)) != null
                    && closed.stream().noneMatch(file -> isOf(file, block));
            require(
                    isBulk || known.contains(new CopyId(server, block, stored.number())),
                    "copy " + stored + " of " + new BlockId(block) + " leaked on server " + server + ", beside "
                            + bulk);
        }));
    }

    private boolean isOf(ClosedFile file, long block) {
        return file.file().equals(shard.state().fileOf(new BlockId(block)));
    }

    private Problem truth(int server, int number, BlockRecord block) {
        Stored stored = disk(server).get(block.getBlockId());
        if (stored == null || stored.number() != number) {
            return Problem.MISSING;
        }
        boolean sound = !stored.damaged()
                && stored.generation() >= block.getGeneration()
                && stored.length() >= block.getLength();
        return sound ? Problem.NONE : Problem.DAMAGED;
    }

    /** A copy that was sound all the time is never called anything else. */
    private void judgeProblems() {
        for (ClosedFile file : closed) {
            BlockRecord block = Objects.requireNonNull(shard.state().block(file.file(), 0));
            for (Copy copy : BlockCopies.counted(block)) {
                ReplicaRecord replica = shard.state().replica(copy.server(), new BlockId(block.getBlockId()));
                Problem problem = replica == null ? Problem.NONE : replica.getProblem();
                boolean isFalse = (problem == Problem.MISSING || problem == Problem.DAMAGED)
                        && !everUnsound.contains(new CopyId(copy.server().value(), block.getBlockId(), copy.number()));
                require(!isFalse, copy + " of " + block + " is called " + problem + " and is sound");
            }
        }
    }

    int queued() {
        int records = 0;
        byte[] prefix = Keys.kind('q');
        try (View.Cursor cursor = shard.store().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                records++;
            }
        }
        return records;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private <R> CompletableFuture<R> later(Supplier<CompletableFuture<R>> step) {
        CompletableFuture<R> future = new CompletableFuture<>();
        steps.add(() -> {
            CompletableFuture<Boolean> told = step.get()
                    .handle((result, failure) ->
                            failure == null ? future.complete(result) : future.completeExceptionally(failure));
            require(told.isDone(), "a step does not end at once");
        });
        return future;
    }

    @Override
    public GroupId id() {
        return shard.id();
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return later(() -> {
            CompletableFuture<R> decided = decide(operation, request);
            judgeProblems();
            return decided;
        });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decide(
            Operation<ShardState, Q, R> operation, Q request) {
        try {
            return CompletableFuture.completedFuture(shard.run(operation, request));
        } catch (TatamiException | UnsettledException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return submit(operation, origin, request);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return later(() -> decide(operation, request));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(to + " is not there");
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(to + " is not there");
    }

    /** The request may be lost, the reply too. */
    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        CompletableFuture<Message> carriedOut = later(() -> {
            if (silent.contains(to.value())) {
                return unavailable(to);
            }
            return CompletableFuture.completedFuture(
                    method.number() == BlockMethods.AUDIT.number()
                            ? audit(to.value(), (AuditRequest) body)
                            : delete(to.value(), (DeleteBlocksRequest) body));
        });
        return carriedOut.thenCompose(reply -> later(() -> {
            if (silent.contains(to.value())) {
                count("reply lost");
                return unavailable(to);
            }
            try {
                return CompletableFuture.completedFuture(method.replyParser().parseFrom(reply.toByteString()));
            } catch (InvalidProtocolBufferException e) {
                return CompletableFuture.failedFuture(e);
            }
        }));
    }

    private static <R> CompletableFuture<R> unavailable(ServerId server) {
        return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, server + " is silent"));
    }

    private DeleteBlocksReply delete(int server, DeleteBlocksRequest request) {
        DeleteBlocksReply.Builder reply = DeleteBlocksReply.newBuilder();
        for (DeleteBlocksRequest.Item item : request.getItemList()) {
            Stored stored = disk(server).get(item.getBlockId());
            if (stored != null && isMeant(item, stored)) {
                requireUnneeded(server, item.getBlockId(), stored.number());
                disk(server).remove(item.getBlockId());
                count("deleted");
            }
            if (stored != null || !withoutVolume.contains(server)) {
                reply.addDeletedBlockId(item.getBlockId());
            }
        }
        return reply.build();
    }

    private static boolean isMeant(DeleteBlocksRequest.Item item, Stored stored) {
        return stored.number() == item.getCopyNumber()
                && (stored.number() != 0 || stored.generation() <= item.getGeneration());
    }

    private void requireUnneeded(int server, long block, int number) {
        FileId file = shard.state().fileOf(new BlockId(block));
        List<BlockRecord> records = file == null ? List.of() : shard.state().blocks(file);
        for (BlockRecord record : records) {
            if (record.getBlockId() == block) {
                require(
                        !BlockCopies.counted(record).contains(new Copy(new ServerId(server), number)),
                        "copy " + number + " on server " + server + " was deleted, and counts: " + record);
            }
        }
    }

    private static boolean isDamaged(Stored stored, AuditRequest.Item item) {
        boolean isShort = stored.generation() < item.getGeneration() || stored.length() < item.getLength();
        return stored.damaged() || (isShort && !item.getIntended());
    }

    /** As if there were too many unknown blocks for one answer. */
    private long answeredUpTo(AuditRequest request) {
        int items = request.getItemCount();
        return items > 0 && random.nextInt(4) == 0
                ? request.getItem(random.nextInt(items)).getBlockId()
                : request.getUpToBlockId();
    }

    private AuditReply audit(int server, AuditRequest request) {
        AuditReply.Builder reply = AuditReply.newBuilder();
        Map<Long, Integer> asked = new TreeMap<>();
        long upTo = answeredUpTo(request);
        if (upTo < request.getUpToBlockId()) {
            reply.setUpToBlockId(upTo);
        }
        for (AuditRequest.Item item : request.getItemList()) {
            if (item.getBlockId() > upTo) {
                break;
            }
            asked.put(item.getBlockId(), item.getCopyNumber());
            Stored stored = disk(server).get(item.getBlockId());
            if (stored != null && stored.number() == item.getCopyNumber()) {
                if (isDamaged(stored, item)) {
                    reply.addDamagedBlockId(item.getBlockId());
                }
            } else if (!item.getIntended() && withoutVolume.contains(server)) {
                reply.addUnavailableBlockId(item.getBlockId());
            } else if (!item.getIntended()) {
                reply.addMissingBlockId(item.getBlockId());
            }
        }
        if (withoutVolume.contains(server)) {
            reply.addVolume(AuditedVolume.newBuilder()
                    .setPath("/dev/gone")
                    .setState(AuditedVolume.State.NOT_OPENED)
                    .setReason("no such device"));
        }
        disk(server).subMap(request.getAfterBlockId() + 1, upTo + 1).forEach((block, stored) -> {
            Integer number = asked.get(block);
            if (number == null && stored.number() == 0) {
                reply.addUnknownBlockId(block);
            } else if (number == null || number != stored.number()) {
                reply.addUnknownCopy(UnknownCopy.newBuilder().setBlockId(block).setCopyNumber(stored.number()));
            }
        });
        count("pages");
        return reply.build();
    }

    @Override
    public ClusterMap map() {
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (int server : disks.keySet()) {
            map.addBlockServer(BlockServerInfo.newBuilder().setServerId(server).setState(BlockServerInfo.State.ACTIVE));
        }
        return map.build();
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public long monotonicNanos() {
        return nowNanos;
    }
}
