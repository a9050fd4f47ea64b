package io.tatami.meta.op.write;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.file.FileInvariants;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.Marker;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CreateFileTest {
    private final FileShard shard = new FileShard();
    private final CreateFile create = new CreateFile(shard.handles, FileLimits.DEFAULT);

    @Test
    void newFileIsOpenAndOwnedByItsMakerAndHasGrantsOnTheWritersHost() throws Exception {
        CreateReply reply = shard.create("a", 2);
        assertTrue(reply.getStatus().getOpen());
        Attributes attributes = reply.getStatus().getAttributes();
        assertEquals("alice", attributes.getOwner());
        assertEquals("users", attributes.getGroup());
        assertEquals(0644, attributes.getMode());
        assertEquals(2, reply.getGrantCount());
        assertEquals(List.of(2), reply.getGrant(0).getServerIdList());
        assertNotEquals(reply.getGrant(0).getBlockId(), reply.getGrant(1).getBlockId());
        assertEquals(999_998, shard.state().credit(new ServerId(2)).getBlocks());
        FileInvariants.check(
                shard.store(),
                Set.of(reply.getGrant(0).getBlockId(), reply.getGrant(1).getBlockId()));
    }

    @Test
    void theFirstBlockIsKeptInTheHomeUntilSomethingIsKnownOfIt() throws Exception {
        CreateReply reply = shard.create("a", 1);
        FileId file = new FileId(reply.getStatus().getId());
        BlockId block = new BlockId(reply.getGrant(0).getBlockId());
        assertEquals(file.value(), block.value());
        assertEquals(List.of(), records('b', 'w', 'r'));
        assertEquals(file, shard.state().fileOf(block));
        assertEquals(1, shard.state().blocks(file).size());
        assertEquals(1, shard.open("a").getBlockCount());
        assertFalse(
                requireNonNull(shard.state().replica(new ServerId(2), block)).getHeld());
        assertNull(shard.state().replica(new ServerId(1), block));

        shard.run(
                new CommitLength(),
                CommitLengthRequest.newBuilder()
                        .setFileId(file.value())
                        .addWritten(FileShard.report(reply.getGrant(0), 10))
                        .build());

        assertEquals(List.of('b', 'w', 'r'), records('b', 'w', 'r'));
        assertFalse(shard.home(file).hasGranted());
        FileInvariants.check(shard.store(), Set.of(block.value()));
    }

    @Test
    void theFirstBlockIsReclaimedWhereItIsGivenUpOrItsFileIsDeleted() throws Exception {
        CreateReply empty = shard.create("empty", 1);
        shard.complete(CompleteRequest.newBuilder()
                .setFileId(empty.getStatus().getId())
                .addUnusedBlockId(empty.getGrant(0).getBlockId()));
        CreateReply deleted = shard.create("deleted", 2);
        shard.run(create, shard.creation("deleted").setOverwrite(true).build());

        FileInvariants.check(
                shard.store(),
                Set.of(
                        empty.getGrant(0).getBlockId(),
                        deleted.getGrant(0).getBlockId(),
                        deleted.getGrant(1).getBlockId()));
        assertEquals(List.of('q', 'q', 'q'), records('b', 'w', 'r', 'q'));
    }

    private List<Character> records(char... kinds) {
        List<Character> found = new ArrayList<>();
        for (char kind : kinds) {
            byte[] from = Keys.kind(kind);
            try (View.Cursor cursor = shard.store().scan(from, Keys.after(from))) {
                while (cursor.next()) {
                    found.add(kind);
                }
            }
        }
        return found;
    }

    @Test
    void nameThatIsTakenIsRefused() throws Exception {
        shard.inline("a", "x");
        assertEquals(
                ErrorCode.ALREADY_EXISTS,
                shard.refusal(create, shard.creation("a").build()));
    }

    @Test
    void fileBeingWrittenIsHeldFromOthersAndFromItsOwnWriter() throws Exception {
        shard.create("a", 0);
        assertEquals(
                ErrorCode.LEASE_HELD, shard.refusal(create, shard.creation("a").build()));
        shard.session = FileShard.OTHER;
        assertEquals(
                ErrorCode.LEASE_HELD, shard.refusal(create, shard.creation("a").build()));
    }

    @Test
    void overwriteReclaimsBlocksAndEndsTheOldWriter() throws Exception {
        CreateReply old = shard.create("a", 1);
        shard.session = FileShard.OTHER;
        CreateReply fresh =
                shard.run(create, shard.creation("a").setOverwrite(true).build());
        assertNotEquals(old.getStatus().getId(), fresh.getStatus().getId());
        FileInvariants.check(shard.store(), Set.of(old.getGrant(0).getBlockId()));
        shard.session = FileShard.WRITER;
        TatamiException refused = assertThrows(
                TatamiException.class,
                () -> shard.complete(
                        CompleteRequest.newBuilder().setFileId(old.getStatus().getId())));
        assertEquals(ErrorCode.LEASE_EXPIRED, refused.code());
        assertEquals(1, shard.state().slice(FileShard.HOME).getFiles());
    }

    @Test
    void overwriteNeedsWritePermissionOnTheFile() throws Exception {
        shard.inline("a", "x");
        shard.directory = shard.directory.toBuilder().setMode(0777).build();
        shard.caller = new Caller("bob", List.of(), false);
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                shard.refusal(create, shard.creation("a").setOverwrite(true).build()));
    }

    @Test
    void directoryMustBeWritable() throws Exception {
        shard.caller = new Caller("bob", List.of(), false);
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                shard.refusal(create, shard.creation("a").build()));
    }

    @Test
    void markerIsDoubtedUntilTheTreeHasConfirmedIt() throws Exception {
        Marker marker = Marker.newBuilder()
                .setDirectoryId(99)
                .setVersion(7)
                .setConfirmed(true)
                .build();
        shard.change(state -> state.entries()
                .changeRecord(
                        FileShard.HOME,
                        "d",
                        EntryRecord.newBuilder().setMarker(marker).build()));
        UnsettledException doubt = assertThrows(UnsettledException.class, () -> shard.create("d", 0));
        assertEquals(new MarkerInDoubt(FileShard.HOME, "d", marker), doubt.question());
        shard.settled = Set.of(new TreeVersion(7));
        assertEquals(
                ErrorCode.ALREADY_EXISTS,
                shard.refusal(create, shard.creation("d").setOverwrite(true).build()));
    }

    @Test
    void limitsOfSizeAndReplicationAreKept() throws Exception {
        CreateFile strict = new CreateFile(shard.handles, new FileLimits(500, 10));
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(strict, shard.creation("a").setBlockSize(499).build()));
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(create, shard.creation("a").setReplication(17).build()));
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(create, shard.creation("a").setReplication(0).build()));
        CreateReply wide = shard.run(
                create, shard.creation("a").setReplication(10).setGrants(1).build());
        assertEquals(2, wide.getGrant(0).getServerIdCount());
    }

    @Test
    void namesThatAreNoneAreRefused() throws Exception {
        for (String name : List.of("", ".", "..", "a/b")) {
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    shard.refusal(create, shard.creation(name).build()));
        }
        assertEquals(
                ErrorCode.PATH_TOO_LONG,
                shard.refusal(create, shard.creation("é".repeat(128)).build()));
    }

    @Test
    void handleOlderThanAChangeIsStale() throws Exception {
        shard.change(state -> {
            state.putGate(
                    FileShard.HOME,
                    state.gate(FileShard.HOME).toBuilder().setVersion(5).build());
            state.putGateNewest(new TreeVersion(5));
        });
        assertEquals(
                ErrorCode.STALE_HANDLE,
                shard.refusal(create, shard.creation("a").build()));
        shard.treeVersion = 5;
        assertTrue(shard.create("a", 0).getStatus().getOpen());
    }

    @Test
    void withoutCreditsAFileIsMadeButTakesNoBlocks() throws Exception {
        shard.change(state -> {
            state.putCredit(new ServerId(1), CreditRecord.getDefaultInstance());
            state.putCredit(new ServerId(2), CreditRecord.getDefaultInstance());
        });
        CreateReply reply = shard.create("a", 1);
        assertEquals(0, reply.getGrantCount());
        AddBlocksRequest more = AddBlocksRequest.newBuilder()
                .setFileId(reply.getStatus().getId())
                .setGrants(1)
                .build();
        TatamiException waiting = assertThrows(TatamiException.class, () -> shard.run(new AddBlocks(), more));
        assertEquals(ErrorCode.BUSY, waiting.code(), "servers with room are about to give credits");
        AddBlocksRequest nowhere =
                more.toBuilder().addExcludedServerId(1).addExcludedServerId(2).build();
        TatamiException full = assertThrows(TatamiException.class, () -> shard.run(new AddBlocks(), nowhere));
        assertEquals(ErrorCode.NO_SPACE, full.code());
        assertTrue(full.toString().contains("2 known, 2 alive"), full.toString());
        RequestContext first = new RequestContext(
                shard.caller, shard.session, 1, 1, Set.of(), shard.context().cluster(), false, false, "");
        UnsettledException waits =
                assertThrows(UnsettledException.class, () -> shard.run(new AddBlocks(), more, first));
        assertEquals(new CreditsAwaited(List.of(new ServerId(1), new ServerId(2))), waits.question());
        assertThrows(
                UnsettledException.class,
                () -> shard.run(create, shard.creation("b").setGrants(1).build(), first));
        assertEquals(0, shard.run(create, shard.creation("c").build(), first).getGrantCount());
        assertTrue(full.toString().contains("0 with credits"), full.toString());
    }

    @Test
    void fileIsWrittenUnderASession() throws Exception {
        shard.session = SessionId.NONE;
        assertEquals(
                ErrorCode.NO_SUCH_SESSION,
                shard.refusal(create, shard.creation("a").build()));
        assertNull(shard.state().home(FileId.of(0, 0, 1)));
    }
}
