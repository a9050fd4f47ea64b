package io.tatami.hadoop.random;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import io.tatami.hadoop.random.ModelNode.ModelFile;
import io.tatami.hadoop.random.ModelNode.ModelLink;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.FsAction;
import org.jspecify.annotations.Nullable;

/**
 * What operations are made of, by chance. There are few names, so that paths collide, and most paths are ones that the
 * model has, so that most operations find something. Used by one thread.
 */
final class Draw {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    private static final int DEPTH_MAX = 4;
    private static final int BYTES_MAX = 20_000;

    /** Beyond it Tatami keeps bytes in blocks, and up to it in the entry. */
    private static final int INLINE_BYTES_MAX = 16_384;

    /** Open ones are common, or most operations would be refused. */
    private static final List<Integer> MODES = List.of(
            0777, 0777, 0777, 0777, 0777, 0777, 0777, 0777, 0775, 0755, 0770, 0750, 0700, 0644, 0666, 01777, 01777,
            01770, 0555, 0311);

    private final Random random;
    private final ModelDirectory root;
    private final String base;

    /** @param base the directory of {@code root} that all happens below */
    Draw(Random random, ModelDirectory root, String base) {
        this.random = random;
        this.root = root;
        this.base = base;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T of(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** Mostly one at which there is something. */
    String path() {
        return chance(0.85) ? of(paths(ModelNode.class)) : anyPath();
    }

    String file() {
        List<String> files = paths(ModelFile.class);
        return files.isEmpty() || chance(0.2) ? path() : of(files);
    }

    /** Mostly a file with bytes in the same directory, if there is another. */
    String fileBeside(String path) {
        String directory = path.substring(0, path.lastIndexOf('/'));
        List<String> files = new ArrayList<>();
        root.walk("", (at, node) -> {
            if (node instanceof ModelFile file
                    && file.bytes.length > 0
                    && !at.equals(path)
                    && at.substring(0, at.lastIndexOf('/')).equals(directory)) {
                files.add(at);
            }
        });
        return files.isEmpty() || chance(0.2) ? directory + "/" + name() : of(files);
    }

    String link() {
        List<String> links = paths(ModelLink.class);
        return links.isEmpty() || chance(0.2) ? path() : of(links);
    }

    String directory() {
        return chance(0.8) ? of(paths(ModelDirectory.class)) : path();
    }

    /** For something to be made: mostly in a directory that is there. */
    String newPath() {
        if (chance(0.15)) {
            return anyPath();
        }
        List<String> above = new ArrayList<>(paths(ModelDirectory.class));
        above.addAll(paths(ModelLink.class));
        String parent = of(above);
        return depth(parent) < DEPTH_MAX ? parent + "/" + name() : anyPath();
    }

    private static int depth(String path) {
        return (int) path.chars().filter(c -> c == '/').count() - 1;
    }

    /** A path with a last name of its own, so anything but the base. */
    String below() {
        String path = path();
        return path.equals(base) ? anyPath() : path;
    }

    private String anyPath() {
        StringBuilder path = new StringBuilder(base);
        for (int depth = 1 + below(DEPTH_MAX); depth > 0; depth--) {
            path.append('/').append(name());
        }
        return path.toString();
    }

    String name() {
        return of(NAMES);
    }

    private List<String> paths(Class<? extends ModelNode> kind) {
        List<String> paths = new ArrayList<>();
        ModelNode top = root.children.get(base.substring(1));
        if (top != null) {
            top.walk(base, (path, node) -> {
                if (kind.isInstance(node)) {
                    paths.add(path);
                }
            });
        }
        return paths.isEmpty() ? List.of(base) : paths;
    }

    /** Often the owner of what is at the path, or its nearest directory that is there. */
    Caller caller(String path) {
        if (chance(0.32)) {
            return Caller.SUPERUSER;
        }
        Caller owner = owner(path);
        return owner != null && chance(0.8) ? owner : of(Caller.ORDINARY);
    }

    private @Nullable Caller owner(String path) {
        ModelNode at = root;
        for (String name : path.substring(1).split("/", -1)) {
            ModelNode next = at instanceof ModelDirectory directory ? directory.children.get(name) : null;
            if (next == null) {
                break;
            }
            at = next;
        }
        String owner = at.owner;
        return Caller.ORDINARY.stream()
                .filter(user -> user.name().equals(owner))
                .findAny()
                .orElse(null);
    }

    int mode() {
        return chance(0.95) ? of(MODES) : below(02000);
    }

    FsAction action() {
        return of(List.of(FsAction.values()));
    }

    /** Often none, as they cost HDFS most; else of all sizes, those around the limit of small files too. */
    byte[] bytes() {
        int length = of(
                List.of(0, 0, 0, 0, 1, below(100), 4095 + below(3), INLINE_BYTES_MAX - 1 + below(3), below(BYTES_MAX)));
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    Subject.Creation creation(boolean parents) {
        return new Subject.Creation(mode(), chance(0.6), parents, 1 + below(3), of(List.of(65_536L, 65_536L, 8_192L)));
    }

    /** A time of long ago or far ahead, or the one that leaves what is there. */
    long time(long around) {
        return chance(0.2) ? -1 : around + below(1_000_000);
    }

    List<AclEntry> aclEntries(boolean withPermission) {
        List<AclEntry> entries = new ArrayList<>();
        boolean basis = withPermission && chance(0.5);
        AclEntryScope scope = chance(0.5) ? AclEntryScope.ACCESS : AclEntryScope.DEFAULT;
        if (basis) {
            for (AclEntryType type : List.of(AclEntryType.USER, AclEntryType.GROUP, AclEntryType.OTHER)) {
                entries.add(entry(scope, type, null, true));
            }
        }
        for (int count = below(4); count > 0; count--) {
            entries.add(aclEntry(chance(0.8) ? scope : of(List.of(AclEntryScope.values())), withPermission));
        }
        return withoutRepetition(entries);
    }

    /** One entry for each key: HDFS lets it depend on what else there is whether it takes two. */
    private static List<AclEntry> withoutRepetition(List<AclEntry> entries) {
        return entries.stream()
                .collect(Collectors.toMap(
                        AccessList.Key::of, Function.identity(), (first, second) -> first, LinkedHashMap::new))
                .values()
                .stream()
                .toList();
    }

    private AclEntry aclEntry(AclEntryScope scope, boolean withPermission) {
        return switch (below(8)) {
            case 0, 1, 2 -> entry(scope, AclEntryType.USER, of(Caller.ORDINARY).name(), withPermission);
            case 3, 4 -> entry(scope, AclEntryType.GROUP, of(Caller.GROUPS), withPermission);
            case 5 -> entry(scope, AclEntryType.MASK, null, withPermission);
            default ->
                entry(
                        scope,
                        of(List.of(AclEntryType.USER, AclEntryType.GROUP, AclEntryType.OTHER)),
                        null,
                        withPermission);
        };
    }

    private AclEntry entry(AclEntryScope scope, AclEntryType type, @Nullable String name, boolean withPermission) {
        AclEntry.Builder entry = new AclEntry.Builder().setScope(scope).setType(type);
        if (name != null) {
            entry.setName(name);
        }
        if (withPermission) {
            entry.setPermission(chance(0.5) ? FsAction.ALL : action());
        }
        return entry.build();
    }
}
