package io.tatami.base;

import java.io.Serializable;

/**
 * With {@link ErrorCode#PERMISSION_DENIED}: why, so that the message, in the words users know from HDFS, can be made
 * where the path is known. Immutable.
 */
public sealed interface Denial extends Detail {
    int READ = 4;
    int WRITE = 2;
    int EXECUTE = 1;

    /** The sticky bit of a mode: in such a directory only owners delete and rename. */
    int STICKY = 01000;

    /**
     * The message.
     *
     * @param path the file or directory that the request names
     * @param parent the path of its directory
     */
    String message(String path, String parent);

    /**
     * Owner, group and mode, which decide.
     *
     * @param mode the lower twelve bits of a POSIX mode
     */
    record Inode(String owner, String group, int mode, boolean isDirectory) implements Serializable {
        String told(String path) {
            return "\"" + path + "\":" + owner + ":" + group + ":" + (isDirectory ? "d" : "-") + symbols();
        }

        /** As listings have it. */
        private String symbols() {
            StringBuilder text = new StringBuilder();
            for (int shift = 6; shift >= 0; shift -= 3) {
                int bits = mode >> shift;
                text.append((bits & READ) != 0 ? 'r' : '-');
                text.append((bits & WRITE) != 0 ? 'w' : '-');
                text.append((bits & EXECUTE) != 0 ? 'x' : '-');
            }
            if ((mode & STICKY) != 0) {
                text.setCharAt(text.length() - 1, (mode & EXECUTE) != 0 ? 't' : 'T');
            }
            return text.toString();
        }
    }

    /**
     * The mode or the access control list does not grant it.
     *
     * @param access the sum of the rights that the request needs, of {@link #READ}, {@link #WRITE} and {@link #EXECUTE}
     */
    record AccessRefused(String user, int access, Inode inode) implements Denial {
        @Override
        public String message(String path, String parent) {
            return "Permission denied: user=" + user + ", access=" + symbol(access) + ", inode=" + inode.told(path);
        }

        private static String symbol(int access) {
            return switch (access) {
                case READ -> "READ";
                case WRITE -> "WRITE";
                case EXECUTE -> "EXECUTE";
                case READ | EXECUTE -> "READ_EXECUTE";
                case WRITE | EXECUTE -> "WRITE_EXECUTE";
                case READ | WRITE -> "READ_WRITE";
                default -> "ALL";
            };
        }
    }

    /** It is for the owner alone. */
    record OwnerOnly(String user) implements Denial {
        @Override
        public String message(String path, String parent) {
            return "Permission denied. user=" + user + " is not the owner of inode=" + path;
        }
    }

    /** The directory is sticky, and the user owns neither it nor the entry. */
    record StickyBit(String user, Inode entry, Inode directory) implements Denial {
        @Override
        public String message(String path, String parent) {
            return "Permission denied by sticky bit: user=" + user + ", path=" + entry.told(path) + ", parent="
                    + directory.told(parent);
        }
    }
}
