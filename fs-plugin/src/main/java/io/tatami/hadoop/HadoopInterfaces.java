package io.tatami.hadoop;

import io.tatami.hadoop.convert.HadoopClasses;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of Hadoop's newer interfaces is there. The service loader takes the class that is named in the jar as it is, and
 * a class that implements an interface which Hadoop lacks would fail the start of every file system of the program. So
 * {@link TatamiFileSystem} implements none of them, and puts the subclass that does into the defaults of every
 * configuration, as HDFS does with its own defaults; Hadoop looks there before it takes the service.
 */
final class HadoopInterfaces {
    private static final String IMPLEMENTATION = "fs.tatami.impl";
    private static final String FS = "org.apache.hadoop.fs.";

    // Names, because a class that Hadoop has no interfaces for must not be loaded.
    private static final String LEASE = "io.tatami.hadoop.LeaseTatamiFileSystem";
    private static final String BULK = "io.tatami.hadoop.BulkTatamiFileSystem";

    /** The newest of what must be there: 3.3.4 has it, and Hadoop's vendors may number differently. */
    private static final List<String> REQUIRED =
            List.of(FS + "EtagSource", FS + "MultipartUploaderBuilder", FS + "impl.OpenFileParameters");

    private static final Logger LOG = LoggerFactory.getLogger(HadoopInterfaces.class);
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private HadoopInterfaces() {}

    /** Has Hadoop make the subclass for all that is there, unless a site names a class of its own. */
    static void register() {
        String defaults = defaults();
        String named = new Configuration().get(IMPLEMENTATION, "");
        if (!defaults.isEmpty() && (named.isEmpty() || named.equals(TatamiFileSystem.class.getName()))) {
            Configuration.addDefaultResource(defaults);
        }
    }

    /** Warns once in a process of a file system that a program named, and that has less than it might. */
    static void tellLacking(Class<? extends FileSystem> made) {
        String lacking = lacking(made);
        if (!lacking.isEmpty() && TOLD.compareAndSet(false, true)) {
            LOG.warn("{}", lacking);
        }
    }

    /** What a file system of this class has not, though Hadoop has it, and the remedy; empty where it has all. */
    static String lacking(Class<? extends FileSystem> made) {
        if (made != TatamiFileSystem.class || defaults().isEmpty()) {
            return "";
        }
        return IMPLEMENTATION + " is set to " + made.getName()
                + ", which has none of the newer interfaces that this Hadoop "
                + "has, such as LeaseRecoverable; HBase loses acknowledged rows without it. Remove the setting where the jar is on "
                + "the class path, or set it to " + (HadoopClasses.isPresent(FS + "BulkDelete") ? BULK : LEASE);
    }

    private static String defaults() {
        if (!HadoopClasses.isPresent(FS + "LeaseRecoverable") || !HadoopClasses.isPresent(FS + "SafeMode")) {
            return "";
        }
        return HadoopClasses.isPresent(FS + "BulkDelete") ? "tatami-hadoop-3.4.1.xml" : "tatami-hadoop-3.3.6.xml";
    }

    /** @throws IOException where Hadoop is too old, with the release that is needed */
    static void checkRelease() throws IOException {
        for (String name : REQUIRED) {
            if (!HadoopClasses.isPresent(name)) {
                throw new IOException("Tatami needs Hadoop 3.3.4 or later, and this program has Hadoop "
                        + VersionInfo.getVersion() + " (there is no " + name + "); replace Hadoop's jars");
            }
        }
    }
}
