package io.tatami.benchmarks.workload.commit;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/**
 * The names that a job without any computation makes, by Hadoop's own committer: each task has an attempt's directory
 * with one directory for each partition and a file in each, and renames it; the job renames files into the output,
 * deletes what is left, and leaves {@code _SUCCESS}.
 *
 * @param output its directory
 * @param tasks 1 or more
 * @param partitions of each task, 1 or more
 * @param fileBytes of each file
 * @param algorithm of the committer, 1 or 2
 */
record CommitJob(String output, int tasks, int partitions, int fileBytes, int algorithm) {
    private static final String FILE = "part-%05d";

    static CommitJob parse(String[] words, int from) {
        return new CommitJob(
                words[from],
                Integer.parseInt(words[from + 1]),
                Integer.parseInt(words[from + 2]),
                Integer.parseInt(words[from + 3]),
                Integer.parseInt(words[from + 4]));
    }

    /** What {@link #parse} takes. */
    String words() {
        return String.join(
                " ",
                output,
                Integer.toString(tasks),
                Integer.toString(partitions),
                Integer.toString(fileBytes),
                Integer.toString(algorithm));
    }

    void setUp() throws IOException {
        committer(0).setupJob(context());
    }

    /** A task from its begin to its commit. */
    void runTask(FileSystem fs, int task) throws IOException {
        TaskAttemptContext attempt = attempt(task);
        FileOutputCommitter committer = committer(task);
        committer.setupTask(attempt);
        byte[] content = content(task);
        for (int partition = 0; partition < partitions; partition++) {
            Path directory = new Path(committer.getWorkPath(), "p=" + partition);
            fs.mkdirs(directory);
            try (FSDataOutputStream out = fs.create(new Path(directory, String.format(FILE, task)), false)) {
                out.write(content);
            }
        }
        if (!committer.needsTaskCommit(attempt)) {
            throw new IOException("task " + task + " of " + output + " has nothing to commit");
        }
        committer.commitTask(attempt);
    }

    void commit() throws IOException {
        committer(0).commitJob(context());
    }

    /** @throws IOException where the output is not one file of each task in each partition, and {@code _SUCCESS} */
    void check(FileSystem fs) throws IOException {
        Path directory = new Path(output);
        int files = 0;
        RemoteIterator<LocatedFileStatus> all = fs.listFiles(directory, true);
        while (all.hasNext()) {
            LocatedFileStatus file = all.next();
            boolean isMark = file.getPath().getName().equals(FileOutputCommitter.SUCCEEDED_FILE_NAME);
            require(isMark || file.getLen() == fileBytes, file.getPath() + " has " + file.getLen() + " bytes");
            files += isMark ? 0 : 1;
        }
        require(files == tasks * partitions, output + " has " + files + " files");
        require(
                fs.exists(new Path(directory, FileOutputCommitter.SUCCEEDED_FILE_NAME)),
                output + " has no " + FileOutputCommitter.SUCCEEDED_FILE_NAME);
        require(
                fs.listStatus(directory).length == partitions + 1,
                output + " has more than its partitions: " + Arrays.toString(fs.listStatus(directory)));
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException(otherwise);
        }
    }

    private byte[] content(int task) {
        byte[] content = new byte[fileBytes];
        Arrays.fill(content, (byte) task);
        return content;
    }

    private FileOutputCommitter committer(int task) throws IOException {
        return new FileOutputCommitter(new Path(output), attempt(task));
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, algorithm);
        return configuration;
    }

    private JobContext context() {
        return new JobContextImpl(configuration(), new JobID("bench", 1));
    }

    private TaskAttemptContext attempt(int task) {
        return new TaskAttemptContextImpl(configuration(), new TaskAttemptID("bench", 1, TaskType.REDUCE, task, 0));
    }
}
