package io.tatami.meta.op.fsck;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;

/**
 * Checks a shard's records of some directories against each other: entries and the sums of their directories, and,
 * where they are here too, the homes of their files with leases, blocks and copies. Where the root is among the
 * directories, the homes of files whose names are in other shards are checked as well, that no other home has lost its
 * name, and that blocks and inline bytes have a home. What is under way between shards may be reported; on a quiet file
 * system nothing is. Changes nothing.
 */
public final class Fsck implements Operation<ShardState, FsckRequest, FsckReply> {
    @Override
    public FsckReply decide(ShardState state, RequestContext context, FsckRequest request) throws TatamiException {
        Access.requireSuperuser(context.caller(), "check the file system");
        Report report = new Report();
        HomeCheck homes = new HomeCheck(state, context.cluster(), report);
        for (long id : request.getDirectoryIdList()) {
            checkDirectory(state, new DirectoryId(id), homes, report);
        }
        if (request.getDirectoryIdList().contains(DirectoryId.ROOT.value())) {
            checkOtherHomes(state, homes);
            checkHaveHomes(state, Keys.kind('b'), "has blocks", report);
            checkHaveHomes(state, Keys.kind('v'), "has bytes inline", report);
        }
        return report.reply();
    }

    private static void checkDirectory(ShardState state, DirectoryId directory, HomeCheck homes, Report report) {
        DirectorySliceRecord.Builder counted = DirectorySliceRecord.newBuilder();
        byte[] range = Keys.entries(directory);
        try (View.Cursor cursor = state.draft().scan(range, Keys.after(range))) {
            while (cursor.next()) {
                EntryRecord entry = ShardState.parse(cursor.value(), EntryRecord.parser());
                if (entry.hasFile()) {
                    FileId file = new FileId(entry.getFile().getFileId());
                    Report.Target target = new Report.Target(directory, Keys.nameOf(cursor.key()), file);
                    count(counted, entry.getFile());
                    report.countFile(entry.getFile().getLength(), WriteLease.isOpen(state, entry.getFile()));
                    homes.checkNamed(target, entry.getFile());
                } else if (entry.hasSymlink()) {
                    counted.setSymlinks(counted.getSymlinks() + 1);
                }
            }
        }
        DirectorySliceRecord kept = state.slice(directory);
        if (kept.getFiles() != counted.getFiles()
                || kept.getBytes() != counted.getBytes()
                || kept.getSpaceConsumed() != counted.getSpaceConsumed()
                || kept.getSymlinks() != counted.getSymlinks()) {
            report.find(
                    Report.Target.of(directory),
                    "the directory's sums say " + kept.getFiles() + " files of " + kept.getBytes()
                            + " bytes; there are " + counted.getFiles() + " of " + counted.getBytes());
        }
    }

    private static void count(DirectorySliceRecord.Builder share, FileEntry file) {
        share.setFiles(share.getFiles() + 1)
                .setBytes(share.getBytes() + file.getLength())
                .setSpaceConsumed(share.getSpaceConsumed() + file.getLength() * file.getReplication());
    }

    private static void checkOtherHomes(ShardState state, HomeCheck check) {
        byte[] all = Keys.kind('f');
        try (View.Cursor cursor = state.draft().scan(all, Keys.after(all))) {
            while (cursor.next()) {
                check.checkUnlessNamedHere(
                        new FileId(Keys.idOf(cursor.key())), ShardState.parse(cursor.value(), HomeRecord.parser()));
            }
        }
    }

    /** @param kind of records whose keys begin with a file */
    private static void checkHaveHomes(ShardState state, byte[] kind, String what, Report report) {
        FileId last = FileId.NONE;
        try (View.Cursor cursor = state.draft().scan(kind, Keys.after(kind))) {
            while (cursor.next()) {
                FileId file = new FileId(Keys.idOf(cursor.key()));
                if (!file.equals(last) && state.home(file) == null) {
                    report.find(Report.Target.of(file), what + " here, and no record at its home");
                }
                last = file;
            }
        }
    }
}
