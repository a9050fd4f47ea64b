package io.tatami.meta.service.sim;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One tree of directories and files, changed by one operation at a time: what all groups together must be equivalent
 * to. Every method fails where the operation could not have been done in this tree.
 */
final class NamespaceModel {
    /** Of a file that was recovered: what its writer had come to say of it counts. */
    static final long UNKNOWN_LENGTH = -1;

    private static final long ROOT = DirectoryId.ROOT.value();

    /** The id of a file, or that of a directory below 0; 0 for nothing. */
    private final Map<Name, Long> names = new HashMap<>();

    private final Map<Long, Name> directories = new TreeMap<>();
    private final Map<Long, File> files = new TreeMap<>();
    private final Map<Name, List<Meaning>> history = new HashMap<>();
    private long moment;

    NamespaceModel() {
        directories.put(ROOT, new Name(0, ""));
    }

    /** A name in a directory. */
    record Name(long directory, String name) {}

    /** What a name stood for from a moment on; 0 for nothing. */
    private record Meaning(long moment, long id) {}

    /** A file that has a name. */
    static final class File {
        private Name name;
        private long writer;
        private long opening;
        private final long maker;
        private boolean unwritten;
        private boolean recovering;
        private long attempt;
        private long length;

        File(Name name, long writer) {
            this.name = name;
            this.writer = writer;
            this.maker = writer;
        }

        Name name() {
            return name;
        }

        /** The session that has it open; 0 while it is closed or being recovered. */
        long writer() {
            return writer;
        }

        /** What tells this opening from others by the same session. */
        long opening() {
            return opening;
        }

        /** Made without a block, and not opened again, joined to others or closed since but as it was made. */
        boolean unwritten() {
            return unwritten;
        }

        /** Whether a session may write it: one that has it open, or made it where nobody opened it since. */
        boolean mayBeWrittenBy(long session) {
            return writer == session || (unwritten && writer == 0 && maker == session);
        }

        /** It is neither written nor closed: the servers of its last block are asked, or told, how long it is. */
        boolean recovering() {
            return recovering;
        }

        long length() {
            return length;
        }
    }

    // ------------------------------------------------------------------------------------------ files

    /** @param chain ids from the root to the directory, as whoever asked knew them */
    void create(List<Long> chain, String name, long file, boolean overwrite, long session) {
        Name at = at(chain, name);
        long before = meaning(at);
        Check.check(before >= 0, "%s is a directory, and becomes file %x", at, file);
        Check.check(before == 0 || overwrite, "%s is file %x, and becomes another", at, before);
        forget(before);
        files.put(file, new File(at, session));
        set(at, file);
    }

    /** It was made without a block: that it is open is not durable. */
    void leaveUnwritten(long file) {
        file(file).unwritten = true;
    }

    /** It has a block now, and its lease is durable. */
    void begun(long file, long session, long opening) {
        File begun = files.get(file);
        if (begun != null) {
            requireWriter(file, begun, session, opening);
            begun.writer = session;
            begun.unwritten = false;
        }
    }

    /** Files that are unwritten count as closed. */
    void loseFirstLeases(GroupId home) {
        files.forEach((id, file) -> {
            if (file.unwritten && new FileId(id).home().equals(home)) {
                file.writer = 0;
            }
        });
    }

    void rename(List<Long> from, String source, List<Long> to, String destination, long file, boolean overwrite) {
        Name old = at(from, source);
        Name fresh = at(to, destination);
        long moved = meaning(old);
        Check.check(moved > 0, "%s is renamed to %s, and is no file", old, fresh);
        Check.check(file == 0 || file == moved, "%s is file %x, and file %x was moved to %s", old, moved, file, fresh);
        long before = meaning(fresh);
        Check.check(before >= 0, "%s is renamed onto directory %s", old, fresh);
        Check.check(before == 0 || overwrite, "%s is renamed onto %s, which exists", old, fresh);
        forget(before);
        set(old, 0);
        set(fresh, moved);
        file(moved).name = fresh;
    }

    void delete(List<Long> chain, String name) {
        Name at = at(chain, name);
        long file = meaning(at);
        Check.check(file > 0, "%s is deleted, and is no file", at);
        forget(file);
        set(at, 0);
    }

    /** A file that was closed is open again. */
    void opened(long file, long session, long opening) {
        File opened = files.get(file);
        if (opened != null) {
            requireClosed(file, opened);
            opened.writer = session;
            opened.unwritten = false;
            opened.opening = opening;
        }
    }

    /**
     * A closed file is shorter, at once for readers; {@code done} where the servers need not be told. One that is being
     * cut may be cut to the same length once more.
     */
    void truncated(long file, long length, boolean done) {
        File cut = files.get(file);
        if (cut != null && !(cut.recovering && !done && cut.length == length)) {
            requireClosed(file, cut);
            Check.check(
                    cut.length == UNKNOWN_LENGTH || length <= cut.length,
                    "file %x of %d bytes is cut to %d",
                    file,
                    cut.length,
                    length);
            cut.length = length;
            cut.recovering = !done;
        }
    }

    /** Files go, and their bytes are at the end of another of the same directory. */
    void concatenate(List<Long> chain, String target, List<String> sources) {
        long into = meaning(at(chain, target));
        Check.check(into > 0, "%s is concatenated to, and is no file", target);
        File joined = file(into);
        requireClosed(into, joined);
        for (String source : sources) {
            Name name = at(chain, source);
            long file = meaning(name);
            Check.check(file > 0, "%s is concatenated, and is no file", name);
            requireClosed(file, file(file));
            boolean known = joined.length != UNKNOWN_LENGTH && file(file).length != UNKNOWN_LENGTH;
            joined.length = known ? joined.length + file(file).length : UNKNOWN_LENGTH;
            joined.unwritten = false;
            forget(file);
            set(name, 0);
        }
    }

    private static void requireClosed(long file, File closed) {
        Check.check(
                closed.writer == 0 && !closed.recovering,
                "file %x is taken for closed, and session %d writes it",
                file,
                closed.writer);
    }

    private static void requireWriter(long file, File written, long session, long opening) {
        Check.check(
                written.mayBeWrittenBy(session) && written.opening == opening,
                "file %x is written by session %d under opening %d, and is open for %d under %d",
                file,
                session,
                opening,
                written.writer,
                written.opening);
    }

    /** Without effect on a file that is gone: its home may not have heard of it yet. */
    void closed(long file, long session, long opening, long length) {
        File closed = files.get(file);
        if (closed != null) {
            requireWriter(file, closed, session, opening);
            closed.writer = 0;
            closed.unwritten = false;
            closed.length = length;
        }
    }

    /** Closed as it was made, which no record says: it is unwritten still. */
    void leftEmpty(long file, long session, long opening) {
        File left = files.get(file);
        if (left != null) {
            requireWriter(file, left, session, opening);
            Check.check(left.unwritten, "file %x is taken for unwritten, and session %d wrote it", file, session);
            left.writer = 0;
        }
    }

    /**
     * A further attempt to close it.
     *
     * @param session only from this one; 0 from whoever writes it
     * @param attempt whose answers count; 0 where the file is closed now
     */
    void recovering(long file, long session, long attempt) {
        File taken = files.get(file);
        if (taken == null || (session != 0 && session != taken.writer)) {
            return;
        }
        if (taken.writer != 0) {
            taken.writer = 0;
            taken.unwritten = false;
            taken.length = UNKNOWN_LENGTH;
        }
        taken.recovering = attempt != 0;
        taken.attempt = attempt;
    }

    void recovered(long file, long attempt) {
        File closed = files.get(file);
        if (closed != null && closed.recovering && closed.attempt == attempt) {
            closed.recovering = false;
        }
    }

    // ------------------------------------------------------------------------------------------ directories

    void mkdirs(String path, List<Long> made) {
        List<String> parts = parts(path);
        List<String> present = parts.subList(0, parts.size() - made.size());
        long parent = walk(present);
        for (int i = 0; i < made.size(); i++) {
            Name at = new Name(parent, parts.get(present.size() + i));
            Check.check(meaning(at) == 0, "%s becomes directory %d, and is %x", at, made.get(i), meaning(at));
            directories.put(made.get(i), at);
            set(at, -made.get(i));
            parent = made.get(i);
        }
    }

    void renameDirectory(String source, String destination, long directory, long replaced) {
        List<String> from = parts(source);
        List<String> to = parts(destination);
        Check.check(walk(from) == directory, "%s is renamed as directory %d, and is %d", source, directory, walk(from));
        Name old = directories.get(directory);
        long parent = walk(to.subList(0, to.size() - 1));
        for (long above = parent; above != 0; above = above(above)) {
            Check.check(above != directory, "%s is renamed into itself, to %s", source, destination);
        }
        Name fresh = new Name(parent, to.get(to.size() - 1));
        Check.check(
                meaning(fresh) == -replaced, "%s is %x, and %x was replaced", destination, meaning(fresh), replaced);
        if (replaced != 0) {
            requireEmpty(replaced, destination);
            directories.remove(replaced);
        }
        directories.put(directory, fresh);
        if (old != null) {
            set(old, 0);
        }
        set(fresh, -directory);
    }

    void deleteDirectory(String path, long directory, boolean recursive) {
        Check.check(walk(parts(path)) == directory, "%s is deleted as directory %d", path, directory);
        if (!recursive) {
            requireEmpty(directory, path);
        }
        Name at = directories.get(directory);
        if (at != null) {
            set(at, 0);
        }
        forgetDirectory(directory);
    }

    private void forgetDirectory(long directory) {
        directories.remove(directory);
        for (Map.Entry<Name, Long> each : List.copyOf(names.entrySet())) {
            if (each.getKey().directory() == directory && each.getValue() != 0) {
                long id = each.getValue();
                set(each.getKey(), 0);
                if (id < 0) {
                    forgetDirectory(-id);
                } else {
                    forget(id);
                }
            }
        }
    }

    private void requireEmpty(long directory, String path) {
        names.forEach((name, id) ->
                Check.check(name.directory() != directory || id == 0, "%s is taken for empty, and has %s", path, name));
    }

    // ------------------------------------------------------------------------------------------ questions

    /** A moment between two changes. */
    long moment() {
        return moment;
    }

    /** Whether the name stood for this, 0 for nothing, at some moment since {@code since}. */
    boolean wasMeant(Name name, long id, long since) {
        List<Meaning> meanings = history.getOrDefault(name, List.of());
        long current = 0;
        for (Meaning meaning : meanings) {
            if (meaning.moment() > since && current == id) {
                return true;
            }
            current = meaning.id();
        }
        return current == id;
    }

    /** The names in a directory that have stood for what they do at every moment since {@code since}. */
    List<String> unchanged(long directory, long since) {
        List<String> unchanged = new ArrayList<>();
        names.forEach((name, id) -> {
            if (name.directory() == directory && id != 0 && changed(name) <= since) {
                unchanged.add(name.name());
            }
        });
        return unchanged;
    }

    /** The moment of the last change. */
    private long changed(Name name) {
        List<Meaning> meanings = history.getOrDefault(name, List.of());
        return meanings.get(meanings.size() - 1).moment();
    }

    boolean isDirectory(long id) {
        return directories.containsKey(id);
    }

    @Nullable
    File find(long file) {
        return files.get(file);
    }

    Map<Long, File> files() {
        return files;
    }

    /** Every directory with its name, the root's being empty. */
    Map<Long, Name> directories() {
        return directories;
    }

    /** Whether a directory has this name. */
    boolean isDirectory(Name name) {
        return meaning(name) < 0;
    }

    /** Whether nothing has this name. */
    boolean isFree(Name name) {
        return meaning(name) == 0;
    }

    // ------------------------------------------------------------------------------------------ parts

    private long meaning(Name name) {
        return names.getOrDefault(name, 0L);
    }

    private File file(long id) {
        File file = files.get(id);
        if (file == null) {
            throw new IllegalStateException("no file " + id);
        }
        return file;
    }

    private void forget(long file) {
        if (file != 0) {
            files.remove(file);
        }
    }

    private void set(Name name, long id) {
        moment++;
        names.put(name, id);
        history.computeIfAbsent(name, first -> new ArrayList<>()).add(new Meaning(moment, id));
    }

    /** The name in the last of these directories, which must be the way to it now. */
    private Name at(List<Long> chain, String name) {
        List<Long> real = new ArrayList<>();
        for (long above = chain.get(chain.size() - 1); above != 0; above = above(above)) {
            real.add(0, above);
        }
        Check.check(real.equals(chain), "%s is reached by %s, and the way is %s", name, chain, real);
        return new Name(chain.get(chain.size() - 1), name);
    }

    /** 0 above the root, and for what is not there. */
    private long above(long directory) {
        Name name = directories.get(directory);
        return name == null ? 0 : name.directory();
    }

    private long walk(List<String> path) {
        long directory = ROOT;
        for (String name : path) {
            long next = meaning(new Name(directory, name));
            Check.check(next < 0, "%s of %s is no directory", name, path);
            directory = -next;
        }
        return directory;
    }

    static List<String> parts(String path) {
        return path.equals("/") ? List.of() : Arrays.asList(path.substring(1).split("/"));
    }
}
