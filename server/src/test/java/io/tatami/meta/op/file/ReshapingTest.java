package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.write.ConcatFiles;
import io.tatami.meta.op.write.TruncateFile;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.Marker;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.CreateSymlinkRequest;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TruncateRequest;
import io.tatami.protocol.wire.XAttr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is done to closed files and to names: truncate, concat, attributes, symlinks, lookups and listings. */
class ReshapingTest {
    private final FileShard shard = new FileShard();
    private final TruncateFile truncate = new TruncateFile(shard.handles);
    private final ConcatFiles concat = new ConcatFiles(shard.handles, new FileLimits(1, 10));
    private final ListEntries list = new ListEntries(shard.handles);

    @Test
    void truncateToABlocksEndIsDoneAtOnce() throws Exception {
        shard.written("a", 1_000, 1_000, 5);
        assertTrue(cut("a", 1_000));
        assertEquals(1, shard.open("a").getBlockCount());
        assertFalse(shard.open("a").getOpen());
        assertEquals(1_000, shard.state().slice(FileShard.HOME).getBytes());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void truncateInsideABlockLeavesTheCutToItsServers() throws Exception {
        shard.written("a", 1_000, 1_000, 5);
        assertFalse(cut("a", 1_300));
        Status opened = shard.open("a");
        assertEquals(1_300, opened.getLength());
        assertTrue(opened.getOpen());
        assertEquals(300, opened.getBlock(1).getLength());
        assertFalse(opened.getBlock(1).getOpen(), "readers would ask the block's server how long it is");
        FileInvariants.check(shard.store(), Set.of());
        assertEquals(ErrorCode.RECOVERY_IN_PROGRESS, shard.refusal(truncate, cutting("a", 0)));
    }

    @Test
    void truncateNeverLengthensAFileAndNeverCutsAnOpenOne() throws Exception {
        shard.written("a", 10);
        assertTrue(cut("a", 10));
        assertEquals(ErrorCode.INVALID_ARGUMENT, shard.refusal(truncate, cutting("a", 11)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, shard.refusal(truncate, cutting("a", -1)));
        shard.append("a");
        assertEquals(ErrorCode.LEASE_HELD, shard.refusal(truncate, cutting("a", 1)));
        assertEquals(ErrorCode.NOT_FOUND, shard.refusal(truncate, cutting("b", 1)));
    }

    @Test
    void smallFileIsCutWhereItIs() throws Exception {
        shard.inline("a", "hello");
        assertTrue(cut("a", 2));
        assertEquals("he", shard.open("a").getInline().toStringUtf8());
        assertTrue(cut("a", 0));
        assertFalse(shard.open("a").getIsInline());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void concatHandsBlocksOverInOrderAndRemovesTheSources() throws Exception {
        FileId target = shard.written("t", 1_000);
        shard.written("x", 10, 20);
        shard.written("y", 30);
        shard.run(concat, joining("t", "y", "x"));
        Status joined = shard.open("t");
        assertEquals(target.value(), joined.getId());
        assertEquals(
                List.of(1_000L, 30L, 10L, 20L),
                joined.getBlockList().stream().map(block -> block.getLength()).toList());
        assertEquals(1_060, joined.getLength());
        assertThrows(TatamiException.class, () -> shard.open("x"));
        assertEquals(1, shard.state().slice(FileShard.HOME).getFiles());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void concatOfSmallFilesStaysSmallWhileItFits() throws Exception {
        shard.inline("t", "abc");
        shard.inline("x", "def");
        shard.run(concat, joining("t", "x"));
        assertEquals("abcdef", shard.open("t").getInline().toStringUtf8());
        shard.inline("y", "ghijk");
        TatamiException tooLong = assertThrows(TatamiException.class, () -> shard.run(concat, joining("t", "y")));
        assertEquals(ErrorCode.UNSUPPORTED, tooLong.code());
        assertEquals(new Detail.StoredInline("t"), tooLong.detail());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void concatHangsBlocksBehindAnEmptyFile() throws Exception {
        shard.inline("t", "");
        shard.written("x", 10, 20);
        shard.run(concat, joining("t", "x"));
        assertEquals(30, shard.open("t").getLength());
        assertEquals(2, shard.open("t").getBlockCount());
        assertFalse(shard.open("t").getIsInline());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void concatKeepsTheRulesOfHdfs() throws Exception {
        shard.written("t", 10);
        shard.written("x", 10);
        shard.create("open", 0);
        shard.written("empty");
        for (List<String> sources :
                List.of(List.<String>of(), List.of("t"), List.of("x", "x"), List.of("open"), List.of("empty"))) {
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    shard.refusal(concat, joining("t", sources.toArray(String[]::new))),
                    sources.toString());
        }
        assertEquals(ErrorCode.NOT_FOUND, shard.refusal(concat, joining("t", "none")));
        assertEquals(ErrorCode.NOT_FOUND, shard.refusal(concat, joining("none", "x")));
        assertEquals(ErrorCode.LEASE_HELD, shard.refusal(concat, joining("open", "x")));
    }

    @Test
    void readingNeedsPermissionOnFileAndDirectory() throws Exception {
        shard.inline("a", "secret");
        shard.run(
                new SetFileAttributes(shard.handles),
                change("a", AttributeChange.newBuilder().setMode(0640)));
        shard.caller = new Caller("bob", List.of("guests"), false);
        LookupRequest open = LookupRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .setOpen(true)
                .build();
        Lookup lookup = new Lookup(shard.handles);
        assertEquals(ErrorCode.PERMISSION_DENIED, shard.refusal(lookup, open));
        assertEquals(
                6,
                shard.run(lookup, open.toBuilder().setOpen(false).build())
                        .getStatus()
                        .getLength());
        shard.directory = shard.directory.toBuilder().setMode(0754).build();
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                shard.refusal(
                        lookup,
                        open.toBuilder()
                                .setOpen(false)
                                .setHandle(shard.handle())
                                .build()));
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                shard.refusal(
                        list, ListRequest.newBuilder().setHandle(shard.handle()).build()));
    }

    @Test
    void handleOfAnotherUserIsRefused() throws Exception {
        LookupRequest request = LookupRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .build();
        shard.caller = new Caller("bob", List.of(), false);
        assertEquals(ErrorCode.PERMISSION_DENIED, shard.refusal(new Lookup(shard.handles), request));
    }

    @Test
    void onlyTheOwnerChangesPermissionsAndReplicationIsCounted() throws Exception {
        shard.written("a", 100);
        SetFileAttributes set = new SetFileAttributes(shard.handles);
        shard.run(set, change("a", AttributeChange.newBuilder().setReplication(3)));
        assertEquals(3, shard.open("a").getReplication());
        assertEquals(300, shard.state().slice(FileShard.HOME).getSpaceConsumed());
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                shard.refusal(set, change("a", AttributeChange.newBuilder().setReplication(99))));
        shard.caller = new Caller("bob", List.of(), false);
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                shard.refusal(set, change("a", AttributeChange.newBuilder().setMode(0777))));
    }

    @Test
    void symlinkTellsItsTargetToWhoMeetsIt() throws Exception {
        CreateSymlinkRequest link = CreateSymlinkRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("l")
                .setTarget("/else/where")
                .build();
        CreateSymlink create = new CreateSymlink(shard.handles);
        shard.run(create, link);
        assertEquals("/else/where", shard.open("l").getSymlinkTarget());
        assertEquals(ErrorCode.ALREADY_EXISTS, shard.refusal(create, link));
        TatamiException unresolved = assertThrows(TatamiException.class, () -> shard.create("l", 0));
        assertEquals(ErrorCode.UNRESOLVED_LINK, unresolved.code());
        assertEquals(new Detail.LinkTarget("/else/where"), unresolved.detail());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void listingIsPagedInTheOrderOfUtf8Bytes() throws Exception {
        List<String> names = List.of("A", "a", "aa", "b", "é", "\uD83D\uDE00");
        for (String name : List.of("b", "\uD83D\uDE00", "a", "é", "A", "aa")) {
            shard.inline(name, "x");
        }
        shard.change(state -> {
            state.entries()
                    .changeRecord(
                            FileShard.HOME,
                            "dir",
                            EntryRecord.newBuilder()
                                    .setMarker(Marker.newBuilder().setDirectoryId(9))
                                    .build());
            state.entries()
                    .changeRecord(
                            FileShard.HOME,
                            "coming",
                            EntryRecord.newBuilder().setArrivingTransaction(5).build());
        });
        List<String> found = new ArrayList<>();
        ListReply page;
        do {
            page = shard.run(
                    list,
                    ListRequest.newBuilder()
                            .setHandle(shard.handle())
                            .setLimit(2)
                            .setAfter(found.isEmpty() ? "" : found.get(found.size() - 1))
                            .build());
            page.getStatusList().forEach(status -> found.add(status.getName()));
        } while (page.getMore());
        List<String> expected = new ArrayList<>(names);
        expected.add(4, "dir");
        assertEquals(expected, found);
    }

    @Test
    void pageOfAListingEndsAtItsLimitOfBytes() throws Exception {
        List<String> expected = new ArrayList<>();
        FileEntry.Builder file = FileEntry.newBuilder();
        for (int i = 0; i < 20; i++) {
            file.getAttributesBuilder()
                    .addXattr(XAttr.newBuilder().setName("user.a" + i).setValue(ByteString.copyFrom(new byte[16_000])));
        }
        for (int i = 10; i < 30; i++) {
            expected.add(i + "n".repeat(253));
            EntryRecord entry =
                    EntryRecord.newBuilder().setFile(file.setFileId(i)).build();
            shard.change(
                    state -> state.entries().changeRecord(FileShard.HOME, expected.get(expected.size() - 1), entry));
        }
        List<String> found = new ArrayList<>();
        ListReply page;
        do {
            page = shard.run(
                    list,
                    ListRequest.newBuilder()
                            .setHandle(shard.handle())
                            .setAfter(found.isEmpty() ? "" : found.get(found.size() - 1))
                            .build());
            int bytes = page.getSerializedSize();
            assertTrue(bytes < 2 * ListEntries.BYTES_ENOUGH, () -> "a page of " + bytes + " bytes");
            page.getStatusList().forEach(status -> found.add(status.getName()));
        } while (page.getMore());
        assertEquals(expected, found);
    }

    @Test
    void concatTakesSourcesOfSoManyBlocksAndNoMore() throws Exception {
        shard.written("t", 1);
        long[] lengths = new long[ConcatFiles.BLOCKS_MAX];
        Arrays.fill(lengths, 1);
        shard.written("x", lengths);
        shard.written("y", 1);
        TatamiException refused = assertThrows(TatamiException.class, () -> shard.run(concat, joining("t", "x", "y")));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertTrue(refused.toString().contains("concat in several calls"), refused::toString);
        assertEquals(1, shard.open("t").getBlockCount(), "something was changed");
        shard.run(concat, joining("t", "x"));
        assertEquals(1 + ConcatFiles.BLOCKS_MAX, shard.open("t").getBlockCount());
        shard.run(concat, joining("t", "y"));
        assertEquals(2 + ConcatFiles.BLOCKS_MAX, shard.open("t").getBlockCount());
        FileInvariants.check(shard.store(), Set.of());
    }

    @Test
    void accessTimeMovesOnlyPastThePrecision() throws Exception {
        shard.inline("a", "x");
        LookupRequest touch = LookupRequest.newBuilder()
                .setHandle(shard.handle())
                .setName("a")
                .build();
        shard.nowMillis += TouchAccessTime.PRECISION_MILLIS;
        assertFalse(TouchAccessTime.isDue(shard.open("a"), shard.nowMillis));
        shard.run(new TouchAccessTime(shard.handles), touch);
        assertEquals(1_000, shard.open("a").getAttributes().getAccessedMillis());
        shard.nowMillis++;
        assertTrue(TouchAccessTime.isDue(shard.open("a"), shard.nowMillis));
        shard.run(new TouchAccessTime(shard.handles), touch);
        assertEquals(shard.nowMillis, shard.open("a").getAttributes().getAccessedMillis());
    }

    private boolean cut(String name, long length) throws Exception {
        return shard.run(truncate, cutting(name, length)).getDone();
    }

    private TruncateRequest cutting(String name, long length) {
        return TruncateRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(name)
                .setLength(length)
                .build();
    }

    private ConcatRequest joining(String target, String... sources) {
        return ConcatRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(target)
                .addAllSource(List.of(sources))
                .build();
    }

    private SetFileAttributesRequest change(String name, AttributeChange.Builder change) {
        return SetFileAttributesRequest.newBuilder()
                .setHandle(shard.handle())
                .setName(name)
                .setChange(change)
                .build();
    }
}
