package io.tatami.hadoop;

import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A program that has many files open at once and reads each in turn, a part at a time. Arguments: the cluster's URI, a
 * file of {@link #content}, how many readers are open, how many users they are divided among, whether memory is shared
 * with the server, and how many parts of each are read.
 */
final class ManyReadersProgram {
    static final int FILE_BYTES = 500_000;
    private static final int PART_BYTES = 50_000;

    private ManyReadersProgram() {}

    static byte[] content() {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(6).nextBytes(bytes);
        return bytes;
    }

    public static void main(String[] arguments) throws Exception {
        int readers = Integer.parseInt(arguments[2]);
        List<FileSystem> fileSystems = fileSystems(arguments);
        List<FSDataInputStream> open = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            open.add(fileSystems.get(i % fileSystems.size()).open(new Path(arguments[1])));
        }
        byte[] expected = content();
        byte[] part = new byte[PART_BYTES];
        int end = PART_BYTES * Integer.parseInt(arguments[5]);
        for (int offset = 0; offset < end; offset += PART_BYTES) {
            for (int i = 0; i < readers; i++) {
                open.get(i).readFully(part);
                if (!Arrays.equals(part, 0, PART_BYTES, expected, offset, offset + PART_BYTES)) {
                    throw new IllegalStateException("reader " + i + " got other bytes at " + offset);
                }
            }
        }
        for (FSDataInputStream in : open) {
            in.close();
        }
        for (FileSystem fileSystem : fileSystems) {
            fileSystem.close();
        }
    }

    private static List<FileSystem> fileSystems(String[] arguments) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("tatami.client.shared.memory", arguments[4]);
        List<FileSystem> fileSystems = new ArrayList<>();
        for (int user = 0; user < Integer.parseInt(arguments[3]); user++) {
            fileSystems.add(UserGroupInformation.createRemoteUser("user-" + user)
                    .doAs((PrivilegedExceptionAction<FileSystem>)
                            () -> FileSystem.get(URI.create(arguments[0]), configuration)));
        }
        return fileSystems;
    }
}
