package io.tatami.hadoop;

import java.net.URI;
import java.util.EnumSet;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A program that exits without closing its files: arguments are the cluster's URI and a directory there. */
final class ForgetfulProgram {
    private ForgetfulProgram() {}

    /** What it writes to each file. */
    static byte[] content() {
        byte[] bytes = new byte[100_001];
        new Random(5).nextBytes(bytes);
        return bytes;
    }

    public static void main(String[] arguments) throws Exception {
        URI cluster = URI.create(arguments[0]);
        Path directory = new Path(arguments[1]);
        Configuration configuration = new Configuration();
        configuration.set("fs.AbstractFileSystem.tatami.impl", TatamiFs.class.getName());
        FileSystem.get(cluster, configuration)
                .create(new Path(directory, "file-system"))
                .write(content());
        FileContext.getFileContext(cluster, configuration)
                .create(new Path(directory, "file-context"), EnumSet.of(CreateFlag.CREATE))
                .write(content());
    }
}
