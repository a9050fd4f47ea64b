package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.copies.ServersOfMap;
import io.tatami.meta.op.file.FileModel.Modelled;
import io.tatami.meta.op.fsck.Fsck;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.op.lease.FinishRecovery;
import io.tatami.meta.op.remove.DeleteFile;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CommitLength;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.ConcatFiles;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.op.write.RenewBlock;
import io.tatami.meta.op.write.TruncateFile;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same random operations on a shard and on a model of it: same refusals, same files, and the invariants. */
class RandomFilesTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

    private FileShard shard = new FileShard();
    private FileModel model = new FileModel();
    private RandomGenerator random = new SplittableRandom(0);
    private final Set<Long> granted = new HashSet<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @Test
    void shardAndModelAgree() throws Exception {
        for (long seed = 1; seed <= 20; seed++) {
            run(seed, 500);
        }
        assertTrue(outcomes.keySet().containsAll(required()), "not all was met: " + outcomes);
    }

    @Test
    @Tag("soak")
    void shardAndModelAgreeForLong() throws Exception {
        for (long seed = 1_000; seed < 3_000; seed++) {
            run(seed, 1_000);
        }
    }

    private static Set<String> required() {
        return Set.of(
                "create ok",
                "create ALREADY_EXISTS",
                "create LEASE_HELD",
                "write ok",
                "write LEASE_EXPIRED",
                "close ok",
                "append ok",
                "append LEASE_HELD",
                "truncate ok",
                "truncate INVALID_ARGUMENT",
                "concat ok",
                "delete ok",
                "recover ok",
                "closeEmpty ok",
                "write ok, without a lease",
                "renew ok");
    }

    private void run(long seed, int steps) throws Exception {
        shard = new FileShard();
        shard.treeAsked = true;
        model = new FileModel();
        random = new SplittableRandom(seed);
        granted.clear();
        for (int step = 0; step < steps; step++) {
            shard.nowMillis += random.nextInt(5);
            shard.session = random.nextBoolean() ? FileShard.WRITER : FileShard.OTHER;
            try {
                if (random.nextInt(20) == 0) {
                    loseLeader();
                }
                step();
                check();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", step " + step, e);
            }
        }
    }

    private void loseLeader() {
        shard.loseLeader();
        for (Modelled file : model.files.values()) {
            if (file.maker != null) {
                file.writer = null;
            }
        }
    }

    private String name() {
        return NAMES.get(random.nextInt(NAMES.size()));
    }

    private void step() throws Exception {
        String name = name();
        Modelled file = model.file(name);
        switch (random.nextInt(9)) {
            case 0, 1 -> create(name, file, random.nextInt(4) == 0);
            case 2, 3 -> write(file);
            case 4 -> {
                if (random.nextInt(3) == 0) {
                    closeEmpty(file);
                } else {
                    close(file);
                }
            }
            case 5 -> append(name, file);
            case 6 -> truncate(name, file);
            case 7 -> {
                if (random.nextInt(3) == 0) {
                    delete(name, file);
                } else {
                    concat(name, file, name());
                }
            }
            default -> recoverOrRenew(file);
        }
    }

    private void check() throws Exception {
        for (String name : NAMES) {
            Modelled file = model.file(name);
            if (file == null) {
                assertNull(shard.state().entry(FileShard.HOME, name), name);
                continue;
            }
            Status status = shard.open(name);
            assertEquals(file.id, status.getId(), name);
            assertEquals(file.length(), status.getLength(), name);
            assertEquals(file.isOpen(), status.getOpen(), name);
            assertEquals(file.inlineLength > 0, status.getIsInline(), name);
        }
        FileInvariants.check(shard.store(), granted);
        RequestContext superuser = new RequestContext(
                new Caller("root", List.of(), true),
                FileShard.WRITER,
                shard.nowMillis,
                shard.settled,
                shard.context().cluster());
        FsckRequest all = FsckRequest.newBuilder()
                .addDirectoryId(DirectoryId.ROOT.value())
                .addDirectoryId(FileShard.HOME.value())
                .build();
        assertEquals(
                List.of(),
                shard.run(new Fsck(ServersOfMap::view), all, superuser).getFindingList());
    }

    /** Null where the operation answered with a refusal, which must be the expected one. */
    private <Q extends Message, R extends Message> @Nullable R attempt(
            String what, Operation<ShardState, Q, R> operation, Q request, @Nullable ErrorCode expected)
            throws UnsettledException {
        R reply = null;
        ErrorCode code = null;
        try {
            reply = shard.run(operation, request);
        } catch (TatamiException e) {
            code = e.code();
        }
        assertEquals(expected, code, what);
        outcomes.merge(what + " " + (code == null ? "ok" : code), 1, Integer::sum);
        return reply;
    }

    private void create(String name, @Nullable Modelled file, boolean overwrite) throws Exception {
        ErrorCode expected = file == null || overwrite ? null : FileModel.refusalUnlessClosed(file);
        expected = expected == null && file != null && !overwrite ? ErrorCode.ALREADY_EXISTS : expected;
        var reply = attempt(
                "create",
                new CreateFile(shard.handles, FileLimits.DEFAULT),
                shard.creation(name).setOverwrite(overwrite).build(),
                expected);
        if (reply != null) {
            Modelled made = new Modelled(reply.getStatus().getId());
            made.writer = shard.session;
            made.maker = shard.session;
            model.files.put(name, made);
        }
    }

    /** Finishes the block being written, if any, and begins another; or commits some of it. */
    private void write(@Nullable Modelled file) throws Exception {
        if (file == null) {
            return;
        }
        // What an earlier stream of the same session asks, which lost the file in between.
        boolean late = file.opening > 0 && random.nextInt(8) == 0;
        long opening = file.opening - (late ? 1 : 0);
        ErrorCode expected = file.mayWrite(shard.session) && !late ? null : ErrorCode.LEASE_EXPIRED;
        long length = file.openCommitted < 0 ? 0 : Math.max(1, file.openCommitted + random.nextInt(200));
        length = Math.min(length, FileShard.BLOCK_SIZE);
        boolean finish = file.openCommitted < 0 || random.nextBoolean();
        if (!finish) {
            CommitLengthRequest.Builder commit = CommitLengthRequest.newBuilder()
                    .setFileId(file.id)
                    .setRecoveryId(opening)
                    .addWritten(report(file, length));
            if (attempt("commit", new CommitLength(), commit.build(), expected) != null) {
                file.openCommitted = length;
                file.settleInline();
            }
            return;
        }
        AddBlocksRequest.Builder more = AddBlocksRequest.newBuilder()
                .setFileId(file.id)
                .setRecoveryId(opening)
                .setGrants(1);
        if (length > 0) {
            more.addWritten(report(file, length));
        }
        var reply = attempt("write", new AddBlocks(), more.build(), expected);
        if (reply != null) {
            granted.add(reply.getGrant(0).getBlockId());
            if (length > 0) {
                file.blocks.add(length);
            }
            if (file.writer == null) {
                outcomes.merge("write ok, without a lease", 1, Integer::sum);
            }
            file.writer = shard.session;
            file.maker = null;
            file.openCommitted = 0;
            file.settleInline();
        }
    }

    /** Who made a file and closes it without a byte changes no record, however often. */
    private void closeEmpty(@Nullable Modelled file) throws Exception {
        if (file == null || file.maker == null) {
            return;
        }
        ErrorCode expected = file.mayWrite(shard.session) ? null : ErrorCode.LEASE_EXPIRED;
        HomeRecord before = shard.home(new FileId(file.id));
        CompleteRequest close = CompleteRequest.newBuilder()
                .setFileId(file.id)
                .setRecoveryId(file.opening)
                .build();
        if (attempt("closeEmpty", new CompleteFile(FileLimits.DEFAULT), close, expected) != null) {
            assertEquals(before, shard.home(new FileId(file.id)));
            file.writer = null;
        }
    }

    private void close(@Nullable Modelled file) throws Exception {
        if (file == null) {
            return;
        }
        ErrorCode expected = file.mayWrite(shard.session) ? null : ErrorCode.LEASE_EXPIRED;
        CompleteRequest.Builder close =
                CompleteRequest.newBuilder().setFileId(file.id).setRecoveryId(file.opening);
        boolean small = file.blocks.isEmpty() && file.openCommitted < 0;
        long length = 0;
        if (small) {
            length = 1L + random.nextInt(50);
            close.setInline(ByteString.copyFrom(new byte[(int) length]));
        } else if (file.openCommitted == 0) {
            close.addUnusedBlockId(lastBlock(file).getBlockId());
        } else if (file.openCommitted > 0) {
            length = Math.min(FileShard.BLOCK_SIZE, file.openCommitted + random.nextInt(100));
            close.addWritten(report(file, length));
        }
        long blocks = file.blocks.stream().mapToLong(Long::longValue).sum() + length;
        boolean shrinks = !small && file.inlineLength > blocks && (file.blocks.size() > 0 || length > 0);
        var reply = attempt(
                "close",
                new CompleteFile(FileLimits.DEFAULT),
                close.build(),
                expected == null && shrinks ? ErrorCode.INVALID_ARGUMENT : expected);
        if (reply == null) {
            return;
        }
        if (small) {
            file.inlineLength = length;
        } else if (length > 0) {
            file.blocks.add(length);
        }
        file.openCommitted = -1;
        file.writer = null;
        file.maker = null;
        file.settleInline();
    }

    private void append(String name, @Nullable Modelled file) throws Exception {
        boolean newBlock = random.nextBoolean();
        var reply = attempt(
                "append",
                new AppendFile(shard.handles),
                AppendRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName(name)
                        .setNewBlock(newBlock)
                        .build(),
                FileModel.refusalUnlessClosed(file));
        if (reply == null || file == null) {
            return;
        }
        file.writer = shard.session;
        file.maker = null;
        file.opening = reply.getRecoveryId();
        int last = file.blocks.size() - 1;
        boolean goesOn = !newBlock && last >= 0 && file.blocks.get(last) < FileShard.BLOCK_SIZE;
        assertEquals(goesOn, reply.hasLastBlock());
        if (goesOn) {
            file.openCommitted = file.blocks.remove(last);
            commitGeneration(file, reply.getLastBlock().getGeneration());
        }
    }

    private void truncate(String name, @Nullable Modelled file) throws Exception {
        long length = file == null ? 0 : random.nextLong(file.length() + 5);
        ErrorCode expected = FileModel.refusalUnlessClosed(file);
        if (expected == null && file != null && length > file.length()) {
            expected = ErrorCode.INVALID_ARGUMENT;
        }
        var reply = attempt(
                "truncate",
                new TruncateFile(shard.handles),
                TruncateRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName(name)
                        .setLength(length)
                        .build(),
                expected);
        if (reply == null || file == null) {
            return;
        }
        if (file.inlineLength > 0) {
            file.inlineLength = length;
            return;
        }
        long end = 0;
        for (int i = 0; i < file.blocks.size(); i++) {
            long kept = Math.max(0, Math.min(file.blocks.get(i), length - end));
            end += file.blocks.get(i);
            file.blocks.set(i, kept);
        }
        file.blocks.removeIf(kept -> kept == 0);
        file.cutting = !reply.getDone();
    }

    private void concat(String name, @Nullable Modelled target, String sourceName) throws Exception {
        Modelled source = model.file(sourceName);
        ErrorCode expected = FileModel.refusalUnlessClosed(target);
        if (expected == null) {
            expected = refusedSource(name, sourceName, Objects.requireNonNull(target));
        }
        var reply = attempt(
                "concat",
                new ConcatFiles(shard.handles, FileLimits.DEFAULT),
                ConcatRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName(name)
                        .addSource(sourceName)
                        .build(),
                expected);
        if (reply != null && source != null && target != null) {
            target.maker = null;
            target.blocks.addAll(source.blocks);
            target.inlineLength += source.inlineLength;
            model.files.remove(sourceName);
        }
    }

    private @Nullable ErrorCode refusedSource(String name, String sourceName, Modelled target) {
        Modelled source = model.file(sourceName);
        if (name.equals(sourceName)) {
            return ErrorCode.INVALID_ARGUMENT;
        }
        if (source == null) {
            return ErrorCode.NOT_FOUND;
        }
        if (source.isOpen() || source.length() == 0) {
            return ErrorCode.INVALID_ARGUMENT;
        }
        boolean inline = source.inlineLength > 0 || target.inlineLength > 0;
        boolean blocks = !source.blocks.isEmpty() || !target.blocks.isEmpty();
        return inline && blocks ? ErrorCode.UNSUPPORTED : null;
    }

    private void delete(String name, @Nullable Modelled file) throws Exception {
        var reply = attempt(
                "delete",
                new DeleteFile(shard.handles),
                DeleteFileRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName(name)
                        .build(),
                file == null ? ErrorCode.NOT_FOUND : null);
        if (reply != null) {
            model.files.remove(name);
        }
    }

    private void recoverOrRenew(@Nullable Modelled file) throws Exception {
        if (file == null) {
            return;
        }
        if (file.openCommitted >= 0 && shard.session.equals(file.writer) && random.nextBoolean()) {
            RenewBlockRequest renew = RenewBlockRequest.newBuilder()
                    .setFileId(file.id)
                    .setRecoveryId(file.opening)
                    .setBlockId(lastBlock(file).getBlockId())
                    .build();
            var reply = attempt("renew", new RenewBlock(), renew, null);
            commitGeneration(file, Objects.requireNonNull(reply).getGrant().getGeneration());
        } else {
            recover(file);
        }
    }

    private void recover(Modelled file) throws Exception {
        if (file.isOpen()) {
            file.maker = null;
        }
        RecoverFileReply attempt = Objects.requireNonNull(attempt(
                "recover",
                new BeginRecovery(),
                RecoverFileRequest.newBuilder().setFileId(file.id).build(),
                null));
        FinishRecoveryRequest.Builder finish =
                FinishRecoveryRequest.newBuilder().setFileId(file.id).setRecoveryId(attempt.getRecoveryId());
        for (RecoveringBlock block : attempt.getBlockList()) {
            long more = block.hasCutLength() ? 0 : random.nextInt(30);
            long length = Math.min(FileShard.BLOCK_SIZE, block.getCommittedLength() + more);
            if (length > 0) {
                finish.addBlock(RecoveredBlock.newBuilder()
                        .setBlockId(block.getBlockId())
                        .setGeneration(block.getNewGeneration())
                        .setLength(length)
                        .addAllServerId(block.getServerIdList()));
            }
            boolean taken = length > 0 && (file.inlineLength == 0 || length >= file.inlineLength);
            if (taken && !file.cutting) {
                file.blocks.add(length);
            }
        }
        if (!attempt.getClosed()) {
            shard.run(new FinishRecovery(), finish.build());
        }
        file.openCommitted = -1;
        file.writer = null;
        file.cutting = false;
        file.settleInline();
    }

    private void commitGeneration(Modelled file, long generation) throws Exception {
        RenewBlockRequest commit = RenewBlockRequest.newBuilder()
                .setFileId(file.id)
                .setRecoveryId(file.opening)
                .setBlockId(lastBlock(file).getBlockId())
                .setGeneration(generation)
                .setCommitted(true)
                .build();
        attempt("renew", new RenewBlock(), commit, null);
    }

    private BlockRecord lastBlock(Modelled file) {
        List<BlockRecord> blocks = shard.state().blocks(new FileId(file.id));
        return blocks.get(blocks.size() - 1);
    }

    private BlockReport report(Modelled file, long length) {
        BlockRecord last = lastBlock(file);
        return BlockReport.newBuilder()
                .setBlockId(last.getBlockId())
                .setGeneration(last.getGeneration())
                .setLength(length)
                .build();
    }
}
