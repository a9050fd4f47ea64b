package io.tatami.linear.check;

import java.util.Locale;

/**
 * What a client asks of the name space. Who tells whether something is there, or is a directory, asks for a status.
 *
 * @param path empty for {@link Kind#CLOSE}
 * @param other a rename's destination, else empty
 * @param file which file is made or closed: a number above 0 that no other call of the history makes one with. It is
 *     the file's length once it is closed, so that each reader tells which file it saw
 */
public record Call(Kind kind, String path, String other, int file) {
    /** The operations. */
    public enum Kind {
        /** A directory in one that is there. */
        MKDIR,
        /** A directory, and those missing above it. */
        MKDIRS,
        /** A new file, open for writing. */
        CREATE,
        /** The same, also in place of a file. */
        OVERWRITE,
        /** The end of writing, by whoever made the file, wherever it is by now. */
        CLOSE,
        RENAME,
        /** A rename that replaces a file by a file, an empty directory by a directory. */
        REPLACE,
        DELETE,
        /** With all that is below. */
        DELETE_ALL,
        STATUS,
        LIST;

        /** As texts name it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it can change anything. */
        public boolean isChange() {
            return this != STATUS && this != LIST;
        }
    }

    public static Call of(Kind kind, String path) {
        return new Call(kind, path, "", 0);
    }

    public static Call create(Kind kind, String path, int file) {
        return new Call(kind, path, "", file);
    }

    public static Call close(int file) {
        return new Call(Kind.CLOSE, "", "", file);
    }

    public static Call rename(Kind kind, String path, String other) {
        return new Call(kind, path, other, 0);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(kind.word());
        text.append(path.isEmpty() ? "" : " " + path);
        text.append(other.isEmpty() ? "" : " " + other);
        return text.append(file == 0 ? "" : " #" + file).toString();
    }

    /** @throws IllegalArgumentException where {@link #toString} did not make the text */
    static Call parse(String text) {
        String path = "";
        String other = "";
        int file = 0;
        String[] words = text.split(" ", -1);
        for (int i = 1; i < words.length; i++) {
            if (words[i].startsWith("#")) {
                file = Integer.parseInt(words[i].substring(1));
            } else if (path.isEmpty()) {
                path = words[i];
            } else {
                other = words[i];
            }
        }
        return new Call(Kind.valueOf(words[0].toUpperCase(Locale.ROOT)), path, other, file);
    }
}
