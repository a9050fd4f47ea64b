package io.tatami.hadoop;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;

/** Uploads in parts by Hadoop's own means: files that are joined. */
final class MultipartUploads {
    private MultipartUploads() {}

    static MultipartUploaderBuilder<?, ?> of(FileSystem fs, Path base) {
        return new FileSystemMultipartUploaderBuilder(fs, base);
    }
}
