package io.tatami.meta.state;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.meta.state.wire.DirectoryNameRecord;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.meta.state.wire.IntentRecord;
import io.tatami.meta.state.wire.WideningRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The directory tree's records by type, over one draft. What is written here is seen here; nothing is kept but in the
 * draft.
 */
public final class TreeState extends Records {
    private static final String ROOT_NAME = "";
    private static final byte[] ROOT = Keys.directory(DirectoryId.NONE, ROOT_NAME);
    private static final byte[] TERM = Keys.singleton("tree.term");
    private static final byte[] FIRST_DIRECTORY = Keys.singleton("tree.first-directory");
    private static final byte[] LAST_ID = Keys.singleton("tree.last-directory");
    private static final byte[] LINKS = Keys.singleton("counter.link");

    public TreeState(Draft draft) {
        super(draft);
    }

    /** A directory with the name that leads to it. */
    public record Named(DirectoryId parent, String name, DirectoryRecord record) {
        public DirectoryId id() {
            return new DirectoryId(record.getDirectoryId());
        }
    }

    /** An intent with its number. */
    public record Intent(long number, IntentRecord record) {}

    public boolean hasRoot() {
        return directory(DirectoryId.NONE, ROOT_NAME) != null;
    }

    public DirectoryRecord root() {
        DirectoryRecord root = directory(DirectoryId.NONE, ROOT_NAME);
        Check.check(root != null, "the tree has no root");
        return Objects.requireNonNull(root);
    }

    public void putRoot(DirectoryRecord root) {
        write(ROOT, root);
    }

    /** The directory of this name, or null. */
    public @Nullable DirectoryRecord directory(DirectoryId parent, String name) {
        return read(Keys.directory(parent, name), DirectoryRecord.parser());
    }

    /** Those directories of one parent that exist, by name. */
    public Map<String, DirectoryRecord> directories(DirectoryId parent, Collection<String> names) {
        Map<String, DirectoryRecord> directories = new HashMap<>();
        NearbyRecords.read(draft(), names, name -> Keys.directory(parent, name))
                .forEach((name, value) -> directories.put(name, parse(value, DirectoryRecord.parser())));
        return directories;
    }

    /** Puts a directory under a name; where it had another before, that one must be removed. */
    public void put(Named directory) {
        replaceRecord(linked(directory));
        write(Keys.directoryName(directory.id()), nameRecord(directory));
    }

    /** {@link #put} of a directory whose id no other has ever had. */
    public void putNew(Named directory) {
        replaceRecord(linked(directory));
        writeNew(Keys.directoryName(directory.id()), nameRecord(directory));
    }

    private Named linked(Named directory) {
        long link = links() + 1;
        writeLong(LINKS, link);
        DirectoryRecord record = directory.record().toBuilder().setLink(link).build();
        return new Named(directory.parent(), directory.name(), record);
    }

    /**
     * How many names were given to directories. Who knows that of a moment knows of each name that a directory has
     * later whether it had it then: its number tells.
     */
    public long links() {
        return longOr(LINKS, 0);
    }

    private static DirectoryNameRecord nameRecord(Named directory) {
        return DirectoryNameRecord.newBuilder()
                .setParentId(directory.parent().value())
                .setName(directory.name())
                .build();
    }

    /** Puts another record under the name that a directory has. */
    public void replaceRecord(Named directory) {
        write(Keys.directory(directory.parent(), directory.name()), directory.record());
    }

    /** Removes a directory and leaves what is below it without a way to it. */
    public void remove(Named directory) {
        remove(Keys.directory(directory.parent(), directory.name()));
        remove(Keys.directoryName(directory.id()));
    }

    /** Takes a directory out of the tree; what its shards hold of it is reclaimed later. */
    public void unhook(Named directory) {
        remove(directory);
        addIntent(IntentRecord.newBuilder()
                .setDirectoryId(directory.id().value())
                .setSpread(directory.record().getSpread())
                .build());
    }

    /** Where a directory is; null where it is not in the tree, though one above it may be missing. */
    public @Nullable Named find(DirectoryId directory) {
        if (directory.equals(DirectoryId.ROOT)) {
            return new Named(DirectoryId.NONE, ROOT_NAME, root());
        }
        DirectoryNameRecord name = read(Keys.directoryName(directory), DirectoryNameRecord.parser());
        if (name == null) {
            return null;
        }
        DirectoryId parent = new DirectoryId(name.getParentId());
        DirectoryRecord record = directory(parent, name.getName());
        return record == null ? null : new Named(parent, name.getName(), record);
    }

    public boolean hasChildren(DirectoryId directory) {
        return !children(directory, "", 1).isEmpty();
    }

    /**
     * The first {@code limit} sub-directories by name.
     *
     * @param after the name before them; empty from the start
     */
    public List<Named> children(DirectoryId directory, String after, int limit) {
        List<Named> children = new ArrayList<>();
        byte[] prefix = Keys.directories(directory);
        byte[] from = after.isEmpty() ? prefix : Keys.directory(directory, after + "\0");
        try (View.Cursor cursor = draft().scan(from, Keys.after(prefix))) {
            while (children.size() < limit && cursor.next()) {
                children.add(new Named(
                        directory, Keys.nameOf(cursor.key()), parse(cursor.value(), DirectoryRecord.parser())));
            }
        }
        return children;
    }

    /** Takes ids that were never given before; the first of {@code count}. */
    public long takeIds(int count) {
        long last = longOr(LAST_ID, DirectoryId.ROOT.value());
        writeLong(LAST_ID, last + count);
        return last + 1;
    }

    /** Which directory of a new tree is to be made next, counted from 1; 0 once all have been, and in older trees. */
    public int firstDirectory() {
        return (int) longOr(FIRST_DIRECTORY, 0);
    }

    public void setFirstDirectory(int number) {
        writeLong(FIRST_DIRECTORY, number);
    }

    /** Whether there are first directories still to be made: as long as there is no tree, all of them. */
    public static boolean isFirstDirectoryMissing(View tree) {
        byte[] number = tree.get(FIRST_DIRECTORY);
        return number == null ? tree.get(ROOT) == null : ByteBuffer.wrap(number).getLong() != 0;
    }

    /** Begins the next term of leadership; the first is 1. */
    public long beginTerm() {
        long term = longOr(TERM, 0) + 1;
        writeLong(TERM, term);
        return term;
    }

    public void addIntent(IntentRecord intent) {
        write(Keys.intent(next("intent")), intent);
    }

    public @Nullable IntentRecord intent(long number) {
        return read(Keys.intent(number), IntentRecord.parser());
    }

    public void removeIntent(long number) {
        remove(Keys.intent(number));
    }

    /** What a directory is being widened from and to; null where all its entries are where they belong. */
    public @Nullable WideningRecord widening(DirectoryId directory) {
        return read(Keys.widening(directory), WideningRecord.parser());
    }

    public void putWidening(DirectoryId directory, WideningRecord widening) {
        write(Keys.widening(directory), widening);
    }

    public void removeWidening(DirectoryId directory) {
        remove(Keys.widening(directory));
    }

    /** The oldest {@code limit} intents of those that have at least the number {@code from}. */
    public List<Intent> intents(long from, int limit) {
        List<Intent> intents = new ArrayList<>();
        try (View.Cursor cursor = draft().scan(Keys.intent(from), Keys.after(Keys.kind('x')))) {
            while (intents.size() < limit && cursor.next()) {
                intents.add(new Intent(Keys.idOf(cursor.key()), parse(cursor.value(), IntentRecord.parser())));
            }
        }
        return intents;
    }
}
