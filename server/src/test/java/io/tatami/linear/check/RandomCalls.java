package io.tatami.linear.check;

import io.tatami.linear.check.Call.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Calls on so few names that clients get in each other's way. */
public final class RandomCalls {
    private static final List<String> TOPS = List.of("/a", "/b");
    private static final List<String> DIRECTORIES = List.of("/a", "/b", "/a/d", "/b/d");

    /** Those that come oftener are there oftener, too. */
    private static final List<String> OFTEN = List.of("/a", "/a", "/b", "/b", "/a/d", "/b/d");

    private static final List<String> NAMES = List.of("f", "f", "g", "g", "d");

    private RandomCalls() {}

    /**
     * A call on names that others ask about too. Never a close.
     *
     * @param file the number of a file that may be made
     */
    public static Call call(Random random, int file) {
        int kind = random.nextInt(100);
        if (kind < 16) {
            return Call.of(Kind.STATUS, path(random));
        } else if (kind < 28) {
            return Call.of(Kind.LIST, random.nextInt(12) == 0 ? "/" : directory(random));
        } else if (kind < 46) {
            return Call.create(random.nextInt(3) == 0 ? Kind.OVERWRITE : Kind.CREATE, path(random), file);
        } else if (kind < 66) {
            return Call.rename(random.nextInt(3) == 0 ? Kind.REPLACE : Kind.RENAME, path(random), path(random));
        } else if (kind < 76) {
            return Call.rename(
                    random.nextInt(3) == 0 ? Kind.REPLACE : Kind.RENAME, directory(random), directory(random));
        } else if (kind < 88) {
            // A parent on the longer way is now and then a file.
            String path = random.nextInt(6) == 0 ? path(random) : directory(random);
            return Call.of(random.nextInt(3) == 0 ? Kind.MKDIR : Kind.MKDIRS, path);
        } else {
            String path = random.nextInt(3) == 0 ? directory(random) : path(random);
            return Call.of(random.nextInt(3) == 0 ? Kind.DELETE_ALL : Kind.DELETE, path);
        }
    }

    private static String directory(Random random) {
        return DIRECTORIES.get(random.nextInt(DIRECTORIES.size()));
    }

    private static String path(Random random) {
        return OFTEN.get(random.nextInt(OFTEN.size())) + "/" + NAMES.get(random.nextInt(NAMES.size()));
    }

    /** What all clients find. */
    public static List<Call> beginning() {
        return TOPS.stream().map(top -> Call.of(Kind.MKDIRS, top)).toList();
    }

    /** Everything there is to see, for the end. */
    public static List<Call> survey() {
        List<Call> all = new ArrayList<>(List.of(Call.of(Kind.LIST, "/")));
        for (String directory : DIRECTORIES) {
            all.add(Call.of(Kind.LIST, directory));
            all.add(Call.of(Kind.LIST, directory + "/d"));
        }
        return all;
    }
}
