package io.tatami.benchmarks.workload.meta;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * What one client does again and again, each time under the next number. The order of the constants is the order in
 * which they run: each finds what those before it left.
 */
public enum MetaOperation {
    MKDIRS {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return mkdirs(fs, new Path(directory, "s" + number));
        }
    },
    /** As {@link #LIST}; there are only directories yet, which come behind the files later. */
    LIST_DIRECTORIES {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return list(fs, directory);
        }
    },
    CREATE_EMPTY {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            fs.create(new Path(directory, "e" + number), false).close();
            return 1;
        }
    },
    CREATE_4K {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            try (FSDataOutputStream out = fs.create(new Path(directory, "f" + number), false)) {
                out.write(CONTENT);
            }
            return 1;
        }
    },
    STAT {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            expect(fs.getFileStatus(new Path(directory, "f" + number)).getLen() == CONTENT.length, "stat");
            return 1;
        }
    },
    /** An empty file, as some peers bring the first bytes along and some do not. */
    OPEN {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            fs.open(new Path(directory, "e" + number)).close();
            return 1;
        }
    },
    READ_4K {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            byte[] content = new byte[CONTENT.length];
            try (FSDataInputStream in = fs.open(new Path(directory, "f" + number))) {
                in.readFully(content);
            }
            expect(Arrays.equals(CONTENT, content), "read");
            return 1;
        }
    },
    /** The first entries of a listing of the whole directory, which count one each. */
    LIST {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return list(fs, directory);
        }
    },
    RENAME {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return rename(fs, new Path(directory, "e" + number), new Path(directory, "r" + number));
        }
    },
    DELETE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return delete(fs, new Path(directory, "r" + number), false);
        }
    },
    /** Into the directory above, whose entries are mostly in another shard. */
    MOVE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            Path to = new Path(directory.getParent(), directory.getName() + "-f" + number);
            return rename(fs, new Path(directory, "f" + number), to);
        }
    },
    /** Of an empty directory. */
    CHMOD_DIRECTORY {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return narrow(fs, new Path(directory, "s" + number));
        }
    },
    /** Of an empty directory. */
    RENAME_DIRECTORY {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return rename(fs, new Path(directory, "s" + number), new Path(directory, "d" + number));
        }
    },
    /** Of an empty directory, as if there could be something in it. */
    DELETE_DIRECTORY {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return delete(fs, new Path(directory, "d" + number), true);
        }
    },
    /** A directory in a directory in one in one that is new, by one call. */
    MKDIRS_TREE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return mkdirs(fs, new Path(directory, "t" + number + BELOW));
        }
    },
    /** Of the lowest directory, which is empty: three deep are left. */
    RMDIR {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return delete(fs, new Path(directory, "t" + number + BELOW), false);
        }
    },
    CHMOD_TREE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return narrow(fs, new Path(directory, "t" + number));
        }
    },
    RENAME_TREE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return rename(fs, new Path(directory, "t" + number), new Path(directory, "u" + number));
        }
    },
    DELETE_TREE {
        @Override
        int run(FileSystem fs, Path directory, int number) throws IOException {
            return delete(fs, new Path(directory, "u" + number), true);
        }
    };

    private static final FsPermission NARROW = new FsPermission((short) 0700);
    private static final String BELOW = "/a/b/c";

    private static final byte[] CONTENT = new byte[4096];
    private static final int LISTED_MAX = 10_000;
    private static final Set<MetaOperation> REPEATABLE = EnumSet.of(LIST_DIRECTORIES, STAT, OPEN, READ_4K, LIST);

    static {
        new java.util.Random(4096).nextBytes(CONTENT);
    }

    /** What makes the files that it works on; null where it needs none. */
    @Nullable
    MetaOperation source() {
        return switch (this) {
            case MKDIRS, CREATE_EMPTY, CREATE_4K, MKDIRS_TREE -> null;
            case LIST_DIRECTORIES, CHMOD_DIRECTORY, RENAME_DIRECTORY -> MKDIRS;
            case STAT, READ_4K, MOVE -> CREATE_4K;
            // Of which there are more, where 4 KiB take long.
            case OPEN, LIST, RENAME -> CREATE_EMPTY;
            case DELETE -> RENAME;
            case DELETE_DIRECTORY -> RENAME_DIRECTORY;
            case RMDIR, CHMOD_TREE -> MKDIRS_TREE;
            case RENAME_TREE -> RMDIR;
            case DELETE_TREE -> RENAME_TREE;
        };
    }

    /** Whether it leaves its file as it was, so that it can be done to the same file again. */
    boolean canRepeat() {
        return REPEATABLE.contains(this);
    }

    /** Whether it finds nothing to work on where {@code earlier} did not run. */
    boolean needs(MetaOperation earlier) {
        MetaOperation source = source();
        return source != null && (source == earlier || source.needs(earlier));
    }

    /** Does it once; returns how many operations that counts for. */
    abstract int run(FileSystem fs, Path directory, int number) throws IOException;

    private static int mkdirs(FileSystem fs, Path directory) throws IOException {
        expect(fs.mkdirs(directory), "mkdirs");
        return 1;
    }

    private static int rename(FileSystem fs, Path from, Path to) throws IOException {
        expect(fs.rename(from, to), "rename");
        return 1;
    }

    private static int delete(FileSystem fs, Path path, boolean recursive) throws IOException {
        expect(fs.delete(path, recursive), "delete");
        return 1;
    }

    private static int narrow(FileSystem fs, Path path) throws IOException {
        fs.setPermission(path, NARROW);
        return 1;
    }

    private static int list(FileSystem fs, Path directory) throws IOException {
        int entries = 0;
        RemoteIterator<?> listing = fs.listStatusIterator(directory);
        while (entries < LISTED_MAX && listing.hasNext()) {
            listing.next();
            entries++;
        }
        return entries;
    }

    private static void expect(boolean holds, String operation) throws IOException {
        if (!holds) {
            throw new IOException(operation + " did not do what it should");
        }
    }
}
