package io.tatami.hadoop.jar;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeMode;
import org.apache.hadoop.fs.SafeModeAction;

/** What Hadoop did not have in 3.3.4, each done where Hadoop has it; tells what it did. */
final class NewerWords {
    private static final String FS = "org.apache.hadoop.fs.";

    private NewerWords() {}

    static void use(FileSystem fs, Path directory) throws IOException {
        List<String> done = new ArrayList<>();
        Path file = fs.makeQualified(new Path(directory, "newer"));
        try (FSDataOutputStream out = fs.create(file)) {
            out.write(new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
        }
        if (present("FileRange")) {
            Vectored.read(fs, file);
            done.add("readVectored");
        }
        if (present("LeaseRecoverable")) {
            Leases.recover(fs, file);
            done.add("recoverLease");
        }
        if (present("SafeMode")) {
            Safety.ask(fs);
            done.add("safe mode");
        }
        if (present("BulkDelete")) {
            Bulk.delete(fs, directory, file);
            done.add("bulk delete");
        }
        System.out.println("beyond 3.3.4: " + done);
        // Frameworks look for methods by name, which needs every class that a method names.
        for (Class<?> type = fs.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                expect(!method.getName().isEmpty(), "methods have names");
            }
        }
    }

    private static boolean present(String name) {
        try {
            Class.forName(FS + name);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static void expect(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }

    /** Apart, as each of these classes is only loaded where Hadoop has its words. */
    private static final class Vectored {
        static void read(FileSystem fs, Path file) throws IOException {
            List<FileRange> ranges = List.of(FileRange.createFileRange(1, 2), FileRange.createFileRange(5, 3));
            try (FSDataInputStream in = fs.open(file)) {
                in.readVectored(ranges, ByteBuffer::allocate);
                expect(ranges.get(0).getData().join().equals(ByteBuffer.wrap(new byte[] {1, 2})), "ranges are read");
                expect(ranges.get(1).getData().join().equals(ByteBuffer.wrap(new byte[] {5, 6, 7})), "to the end");
            }
        }
    }

    private static final class Leases {
        static void recover(FileSystem fs, Path file) throws IOException {
            LeaseRecoverable leases = (LeaseRecoverable) fs;
            expect(leases.recoverLease(file), "a closed file has no lease left");
            expect(leases.isFileClosed(file), "and is closed");
        }
    }

    private static final class Safety {
        static void ask(FileSystem fs) throws IOException {
            expect(!((SafeMode) fs).setSafeMode(SafeModeAction.GET), "the cluster takes changes");
        }
    }

    private static final class Bulk {
        static void delete(FileSystem fs, Path directory, Path file) throws IOException {
            try (BulkDelete bulk = fs.createBulkDelete(directory)) {
                expect(bulk.bulkDelete(List.of(file)).isEmpty(), "a file is deleted in bulk");
            }
            expect(!fs.exists(file), "and is gone");
        }
    }
}
