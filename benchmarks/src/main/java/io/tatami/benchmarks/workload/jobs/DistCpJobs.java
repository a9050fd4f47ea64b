package io.tatami.benchmarks.workload.jobs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.tools.DistCpOptions;
import org.apache.hadoop.tools.mapred.CopyMapper;
import org.jspecify.annotations.Nullable;

/** Trees copied by jobs between file systems; both sides' checksums say that they are the same. */
final class DistCpJobs {
    private final Configuration configuration;

    DistCpJobs(Configuration configuration) {
        this.configuration = new Configuration(configuration);
        this.configuration.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
    }

    /** What a copy did with files. */
    record Copied(long copied, long skipped) {}

    /** How a tree is copied and what came of it told. */
    @FunctionalInterface
    interface Way {
        /**
         * @param to not there yet
         * @throws IOException where a job fails, or files were left out, differ, or were copied twice
         */
        String copy(Path from, Path to) throws Exception;
    }

    String once(Path from, Path to) throws Exception {
        int files = list(from).size();
        expect(new Copied(files, 0), copy(from, to), "the first copy");
        return files + " files were copied from " + from.toUri().getScheme() + " to "
                + to.toUri().getScheme() + "; " + compare(from, to);
    }

    /** Once, and by {@code -update} again, which is to copy nothing. */
    String twice(Path from, Path to) throws Exception {
        String told = once(from, to);
        int files = list(from).size();
        expect(new Copied(0, files), copy(from, to), "the second copy");
        return told + "; none was copied again";
    }

    private Copied copy(Path from, Path to) throws Exception {
        DistCpOptions options = new DistCpOptions.Builder(List.of(from), to)
                .withSyncFolder(true)
                .maxMaps(2)
                .build();
        Job job = new DistCp(configuration, options).execute();
        Counters counters = job.getCounters();
        return new Copied(
                counters.findCounter(CopyMapper.Counter.COPY).getValue(),
                counters.findCounter(CopyMapper.Counter.SKIP).getValue());
    }

    private static void expect(Copied expected, Copied actual, String what) throws IOException {
        if (!actual.equals(expected)) {
            throw new IOException(what + " did " + actual + ", not " + expected);
        }
    }

    /** By checksums where both sides have them, and by the bytes too where one has none, as local files. */
    private String compare(Path from, Path to) throws IOException {
        FileSystem source = from.getFileSystem(configuration);
        FileSystem target = to.getFileSystem(configuration);
        Map<String, Path> copies = list(to);
        int compared = 0;
        for (Map.Entry<String, Path> file : list(from).entrySet()) {
            @Nullable Path copy = copies.remove(file.getKey());
            if (copy == null) {
                throw new IOException(file.getKey() + " was not copied");
            }
            @Nullable FileChecksum one = source.getFileChecksum(file.getValue());
            @Nullable FileChecksum other = target.getFileChecksum(copy);
            if (one != null && other != null) {
                compared++;
                if (!one.equals(other)) {
                    throw new IOException(file.getKey() + " has checksum " + one + " and its copy " + other);
                }
            }
            if (!digest(source, file.getValue()).equals(digest(target, copy))) {
                throw new IOException(file.getKey() + " and its copy differ");
            }
        }
        if (!copies.isEmpty()) {
            throw new IOException("there is more than was copied: " + copies.keySet());
        }
        return "the bytes are the same, and so are " + compared + " checksums";
    }

    private static MD5Hash digest(FileSystem fs, Path file) throws IOException {
        try (var in = fs.open(file)) {
            return MD5Hash.digest(in);
        }
    }

    private Map<String, Path> list(Path tree) throws IOException {
        FileSystem fs = tree.getFileSystem(configuration);
        String above = fs.makeQualified(tree).toUri().getPath();
        Map<String, Path> files = new TreeMap<>();
        RemoteIterator<LocatedFileStatus> found = fs.listFiles(tree, true);
        while (found.hasNext()) {
            Path path = found.next().getPath();
            String below = path.toUri().getPath().substring(above.length());
            // A root's own path ends with the separator, any other's does not.
            files.put(below.startsWith(Path.SEPARATOR) ? below.substring(1) : below, path);
        }
        return files;
    }
}
