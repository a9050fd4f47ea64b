import java.net.URI;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.util.ToolRunner;

/** Copies files of an HDFS to Tatami and back. Its argument is the address of a Tatami cluster. */
public final class DistCpProgram {
    private static final int FILES = 8;

    private DistCpProgram() {}

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new Configuration();
        // Each copy has a client of HDFS with its own settings, as if it were a process of its own.
        configuration.setBoolean("fs.hdfs.impl.disable.cache", true);
        MiniDFSCluster hdfs = new MiniDFSCluster.Builder(configuration).build();
        try {
            FileSystem from = hdfs.getFileSystem();
            FileSystem to = FileSystem.get(URI.create(arguments[0]), configuration);
            Path source = from.makeQualified(new Path("/source"));
            Path copy = to.makeQualified(new Path("/distcp/copy"));
            Path back = from.makeQualified(new Path("/back"));
            byte[] bytes = new byte[3_000_000];
            for (int i = 0; i < FILES; i++) {
                new Random(i).nextBytes(bytes);
                try (FSDataOutputStream out = from.create(new Path(source, "directory-" + i % 3 + "/file-" + i))) {
                    out.write(bytes, 0, bytes.length >> i);
                }
            }
            String composed = "-Ddfs.checksum.combine.mode=COMPOSITE_CRC";
            require(copy(configuration, source, to.makeQualified(new Path("/distcp/refused"))) != 0,
                    "without the setting the checksums do not compare");
            require(copy(configuration, composed, source, copy) == 0, "HDFS is copied to Tatami");
            require(copy(configuration, composed, copy, back) == 0, "Tatami is copied to HDFS");
            require(copy(configuration, composed, "-update", source, copy) == 0, "a second copy finds nothing to do");
            Configuration compare = new Configuration(configuration);
            compare.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
            try (FileSystem composing = FileSystem.newInstance(source.toUri(), compare)) {
                for (int i = 0; i < FILES; i++) {
                    String name = "directory-" + i % 3 + "/file-" + i;
                    require(composing.getFileChecksum(new Path(source, name))
                                    .equals(to.getFileChecksum(new Path(copy, name))),
                            name + " is the same on Tatami");
                    require(composing.getFileChecksum(new Path(source, name))
                                    .equals(composing.getFileChecksum(new Path(back, name))),
                            name + " is the same when it is back");
                }
            }
        } finally {
            hdfs.shutdown();
        }
        System.out.println("distcp: all was done");
    }

    private static int copy(Configuration configuration, Object... words) throws Exception {
        String[] arguments = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            arguments[i] = words[i].toString();
        }
        return ToolRunner.run(new DistCp(new Configuration(configuration), null), arguments);
    }

    private static void require(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }
}
