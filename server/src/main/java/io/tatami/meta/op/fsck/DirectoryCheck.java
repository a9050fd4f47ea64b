package io.tatami.meta.op.fsck;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.FsckCursor;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.FsckRequest;

/** One page of the check of some directories, and of what belongs to none where the root is among them. */
final class DirectoryCheck {
    private final ShardState state;
    private final HomeCheck homes;
    private final Report report;
    private final FsckRequest request;
    private final FsckCursor.Builder at;

    /** @param at where the page begins; where it has ended, once {@link #run} has */
    DirectoryCheck(ShardState state, HomeCheck homes, Report report, FsckRequest request, FsckCursor.Builder at) {
        this.state = state;
        this.homes = homes;
        this.report = report;
        this.request = request;
        this.at = at;
    }

    /** False where the page is full, and another one has to follow. */
    boolean run() {
        boolean isWhole = request.getDirectoryIdList().contains(DirectoryId.ROOT.value());
        while (true) {
            boolean isDone = switch (at.getStage()) {
                case DIRECTORIES, UNRECOGNIZED -> checkDirectories();
                case HOMES -> checkHomes();
                case BLOCKS -> checkHaveHomes('b', "has blocks");
                case INLINE -> checkHaveHomes('v', "has bytes inline");
            };
            if (!isDone) {
                return false;
            }
            if (!isWhole || at.getStage() == FsckCursor.Stage.INLINE) {
                return true;
            }
            at.setStage(FsckCursor.Stage.forNumber(at.getStageValue() + 1)).clearFileId();
        }
    }

    private boolean checkDirectories() {
        while (at.getIndex() < request.getDirectoryIdCount()) {
            if (report.isFull()) {
                return false;
            }
            DirectoryId directory = new DirectoryId(request.getDirectoryId(at.getIndex()));
            if (!at.hasKept()) {
                at.setKept(state.slice(directory)).setCounted(DirectorySliceRecord.getDefaultInstance());
            }
            if (!checkEntries(directory)) {
                return false;
            }
            report.lookedAt();
            compareSums(directory);
            at.setIndex(at.getIndex() + 1).clearName().clearKept().clearCounted();
        }
        return true;
    }

    private boolean checkEntries(DirectoryId directory) {
        byte[] range = Keys.entries(directory);
        boolean isWithinFile = at.getBlocks() > 0;
        byte[] from = at.getName().isEmpty()
                ? range
                : Keys.entry(directory, isWithinFile ? at.getName() : at.getName() + "\0");
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(range))) {
            while (cursor.next()) {
                String name = Keys.nameOf(cursor.key());
                boolean goesOn = isWithinFile && name.equals(at.getName());
                isWithinFile = false;
                if (!goesOn) {
                    at.clearBlocks().clearBlockBytes();
                    if (report.isFull()) {
                        return false;
                    }
                    report.lookedAt();
                }
                at.setName(name);
                if (!checkEntry(directory, name, ShardState.parse(cursor.value(), EntryRecord.parser()), goesOn)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** @param goesOn the page before has ended within the file */
    private boolean checkEntry(DirectoryId directory, String name, EntryRecord entry, boolean goesOn) {
        if (entry.hasSymlink()) {
            DirectorySliceRecord.Builder counted = at.getCountedBuilder();
            counted.setSymlinks(counted.getSymlinks() + 1);
        }
        if (!entry.hasFile()) {
            return true;
        }
        FileEntry file = entry.getFile();
        if (!goesOn) {
            count(at.getCountedBuilder(), file);
            report.countFile(file.getLength(), WriteLease.isOpen(state, file));
        }
        return homes.checkNamed(new Report.Target(directory, name, new FileId(file.getFileId())), file, at);
    }

    private static void count(DirectorySliceRecord.Builder share, FileEntry file) {
        share.setFiles(share.getFiles() + 1)
                .setBytes(share.getBytes() + file.getLength())
                .setSpaceConsumed(share.getSpaceConsumed() + file.getLength() * file.getReplication());
    }

    /** Where the directory changed between two pages, what was counted is of no one moment. */
    private void compareSums(DirectoryId directory) {
        DirectorySliceRecord kept = state.slice(directory);
        DirectorySliceRecord counted = at.getCounted();
        if (!kept.equals(at.getKept())) {
            report.countChangingDirectory();
        } else if (kept.getFiles() != counted.getFiles()
                || kept.getBytes() != counted.getBytes()
                || kept.getSpaceConsumed() != counted.getSpaceConsumed()
                || kept.getSymlinks() != counted.getSymlinks()) {
            report.find(
                    Report.Target.of(directory),
                    "the directory's sums say " + kept.getFiles() + " files of " + kept.getBytes()
                            + " bytes; there are " + counted.getFiles() + " of " + counted.getBytes());
        }
    }

    private boolean checkHomes() {
        byte[] all = Keys.kind('f');
        byte[] from = at.getFileId() == 0 ? all : Keys.after(Keys.home(new FileId(at.getFileId())));
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(all))) {
            while (cursor.next()) {
                if (report.isFull()) {
                    return false;
                }
                report.lookedAt();
                FileId file = new FileId(Keys.idOf(cursor.key()));
                homes.checkUnlessNamedHere(file, ShardState.parse(cursor.value(), HomeRecord.parser()));
                at.setFileId(file.value());
            }
        }
        return true;
    }

    /** @param kind of records whose keys begin with a file */
    private boolean checkHaveHomes(char kind, String what) {
        byte[] all = Keys.kind(kind);
        byte[] from = all;
        if (at.getFileId() != 0) {
            FileId last = new FileId(at.getFileId());
            from = Keys.after(kind == 'b' ? Keys.blocks(last) : Keys.inline(last));
        }
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(all))) {
            while (cursor.next()) {
                if (report.isFull()) {
                    return false;
                }
                report.lookedAt();
                FileId file = new FileId(Keys.idOf(cursor.key()));
                if (file.value() != at.getFileId() && state.home(file) == null) {
                    report.find(Report.Target.of(file), what + " here, and no record at its home");
                }
                at.setFileId(file.value());
            }
        }
        return true;
    }
}
