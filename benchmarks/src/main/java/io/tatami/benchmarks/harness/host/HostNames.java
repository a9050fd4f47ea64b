package io.tatami.benchmarks.harness.host;

import java.io.File;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * What host names mean to this program and those it starts. MapReduce and YARN look up the name of the host that they
 * run on, and fail where it has no address; here all is on loopback, and {@code bin/tatami} writes a file that says so.
 */
public final class HostNames {
    private static final String FILE_OF_JAVA = "jdk.net.hosts.file";
    private static final String FILE_OF_LAUNCHER = "tatami.hosts";

    private HostNames() {}

    /** The options with which another Java takes names from the same file; none where there is no file. */
    public static List<String> javaOptions() {
        String file = System.getProperty(FILE_OF_JAVA);
        return file == null ? List.of() : List.of("-D" + FILE_OF_JAVA + "=" + file);
    }

    /** Has Hadoop's daemons look up no name of this host where nobody asked for it. */
    public static void configure(Configuration configuration) {
        // The default of the principal has it, though nobody uses Kerberos.
        configuration.set("hadoop.http.authentication.kerberos.principal", "HTTP/localhost@LOCALHOST");
    }

    /** The file that the launcher made for this program goes with it. */
    public static void forgetAtExit() {
        String file = System.getProperty(FILE_OF_LAUNCHER);
        if (file != null) {
            new File(file).deleteOnExit();
        }
    }
}
