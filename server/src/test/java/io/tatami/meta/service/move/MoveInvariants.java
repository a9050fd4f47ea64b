package io.tatami.meta.service.move;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ShareRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What must hold of all shards together once everything has healed and come to rest. */
final class MoveInvariants {
    private final List<SimulatedShard> shards;
    private final Set<Integer> deleted;

    /** The names of each file, over all shards. */
    private final Map<Long, List<Name>> names = new TreeMap<>();

    MoveInvariants(List<SimulatedShard> shards, Set<Integer> deleted) {
        this.shards = shards;
        this.deleted = deleted;
    }

    private record Name(int shard, long directory, String name, FileEntry file) {}

    /** Nothing is under way: no move, no message, nothing to reclaim. */
    boolean isQuiet() {
        return shards.stream()
                .allMatch(shard ->
                        count(shard.state(), 't') + count(shard.state(), 'o') == 0 && count(shard.state(), 'q') == 0);
    }

    void check() {
        for (SimulatedShard shard : shards) {
            checkRest(shard);
            checkShares(shard);
        }
        for (SimulatedShard shard : shards) {
            checkHomes(shard);
        }
        names.forEach((file, all) -> {
            Check.check(all.size() == 1, "file %s has the names %s", new FileId(file), all);
            Check.check(home(new FileId(file)) != null, "%s has no home", all);
        });
    }

    private void checkRest(SimulatedShard shard) {
        ShardState state = shard.state();
        Check.check(count(state, 't') == 0, "%s has moves that never ended", shard.id());
        Check.check(count(state, 'o') == 0, "%s has messages that were never delivered", shard.id());
        Check.check(count(state, 'q') == 0, "%s has something that was never reclaimed", shard.id());
        Check.check(count(state, 'l') == 0, "%s has leases although all files were closed", shard.id());
    }

    private void checkShares(SimulatedShard shard) {
        ShardState state = shard.state();
        Map<Long, ShareRecord.Builder> counted = new HashMap<>();
        byte[] prefix = Keys.kind('e');
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                long directory = Keys.idOf(cursor.key());
                String name = Keys.nameOf(cursor.key());
                EntryRecord entry = ShardState.parse(cursor.value(), EntryRecord.parser());
                Check.check(
                        entry.hasFile() && entry.getLeavingTransaction() == 0 && entry.getArrivingTransaction() == 0,
                        "%s has a leftover under %s/%s: %s",
                        shard.id(),
                        directory,
                        name,
                        entry);
                Check.check(!deleted.contains((int) directory), "%s is in a deleted directory", name);
                FileEntry file = entry.getFile();
                names.computeIfAbsent(file.getFileId(), absent -> new ArrayList<>())
                        .add(new Name(shard.id().value(), directory, name, file));
                ShareRecord.Builder share = counted.computeIfAbsent(directory, absent -> ShareRecord.newBuilder());
                share.setFiles(share.getFiles() + 1)
                        .setBytes(share.getBytes() + file.getLength())
                        .setSpaceConsumed(share.getSpaceConsumed() + file.getLength() * file.getReplication());
            }
        }
        compareShares(shard, state, counted);
    }

    /** A hand-over of a directory that is gone may leave a share that counts as moving: nobody asks for it. */
    private void compareShares(SimulatedShard shard, ShardState state, Map<Long, ShareRecord.Builder> counted) {
        byte[] prefix = Keys.kind('s');
        List<Long> directories = new ArrayList<>(counted.keySet());
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                directories.add(Keys.idOf(cursor.key()));
            }
        }
        for (long directory : directories) {
            boolean isGone = deleted.contains((int) directory);
            ShareRecord share = state.share(new DirectoryId(directory));
            ShareRecord real =
                    counted.getOrDefault(directory, ShareRecord.newBuilder()).build();
            Check.check(
                    share.getFiles() == real.getFiles()
                            && share.getBytes() == real.getBytes()
                            && share.getSpaceConsumed() == real.getSpaceConsumed()
                            && (isGone || share.getMoving() == 0),
                    "%s says of directory %d: %s, which is %s",
                    shard.id(),
                    directory,
                    share,
                    real);
        }
    }

    private void checkHomes(SimulatedShard shard) {
        byte[] prefix = Keys.kind('f');
        try (View.Cursor cursor = shard.state().draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                FileId file = new FileId(Keys.idOf(cursor.key()));
                HomeRecord home = ShardState.parse(cursor.value(), HomeRecord.parser());
                List<Name> at = names.getOrDefault(file.value(), List.of());
                Check.check(at.size() == 1, "file %s is lost or doubled: %s", file, at);
                checkName(file, home, at.get(0));
            }
        }
    }

    private static void checkName(FileId file, HomeRecord home, Name at) {
        Check.check(
                home.getEntryGroup() == at.shard()
                        && home.getParentId() == at.directory()
                        && home.getName().equals(at.name()),
                "the home of %s thinks that its name is %s, and it is %s",
                file,
                home,
                at);
        Check.check(
                !at.file().getOpen()
                        && home.getState() == HomeRecord.State.CLOSED
                        && at.file().getLength() == home.getLength()
                        && at.file().getContentVersion() == home.getContentVersion(),
                "%s was closed, its name says %s and its home %s",
                file,
                at,
                home);
    }

    private @Nullable HomeRecord home(FileId file) {
        return shards.get(file.home().shard()).state().home(file);
    }

    private static int count(ShardState state, char kind) {
        int records = 0;
        byte[] prefix = Keys.kind(kind);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                records++;
            }
        }
        return records;
    }
}
