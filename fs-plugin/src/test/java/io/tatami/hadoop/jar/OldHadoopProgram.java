package io.tatami.hadoop.jar;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A program beside a Hadoop that is too old. Its argument is the address of a cluster. */
final class OldHadoopProgram {
    private OldHadoopProgram() {}

    public static void main(String[] arguments) throws IOException {
        Configuration configuration = new Configuration();
        FileSystem local = FileSystem.get(URI.create("file:///"), configuration);
        System.out.println("local: " + local.getFileStatus(new Path("/")).isDirectory());
        try (FileSystem fs = FileSystem.get(URI.create(arguments[0]), configuration)) {
            throw new IllegalStateException("it was connected: " + fs);
        } catch (IOException expected) {
            System.out.println(expected.getMessage());
        }
    }
}
