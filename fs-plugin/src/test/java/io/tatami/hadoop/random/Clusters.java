package io.tatami.hadoop.random;

import io.tatami.hadoop.HdfsCluster;
import java.io.File;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.security.PrivilegedExceptionAction;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** HDFS and Tatami, each as every user sees it. Safe for use by many threads. */
final class Clusters implements AutoCloseable {
    private final MiniDFSCluster hdfs;
    private final Map<Caller, UserGroupInformation> users = new LinkedHashMap<>();
    private final Map<Caller, Subject> onHdfs = new LinkedHashMap<>();
    private final Map<Caller, Subject> onTatami = new LinkedHashMap<>();

    private final Supplier<Configuration> tatami;

    private Clusters(MiniDFSCluster hdfs, Supplier<Configuration> tatami) {
        this.hdfs = hdfs;
        this.tatami = tatami;
    }

    /** @param tatami of a client; asked for anew for each */
    static Clusters start(File directory, Supplier<Configuration> tatami) throws IOException, InterruptedException {
        FileSystem.enableSymlinks();
        Configuration configuration = HdfsCluster.configuration();
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        configuration.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
        MiniDFSCluster hdfs = new MiniDFSCluster.Builder(configuration, directory)
                .numDataNodes(1)
                .build();
        Clusters clusters = new Clusters(hdfs, tatami);
        clusters.connect(Caller.SUPERUSER);
        for (Caller caller : Caller.ORDINARY) {
            clusters.connect(caller);
        }
        return clusters;
    }

    private void connect(Caller caller) throws IOException, InterruptedException {
        UserGroupInformation user = caller.superuser()
                ? UserGroupInformation.getLoginUser()
                : UserGroupInformation.createRemoteUser(caller.name());
        users.put(caller, user);
        Configuration configuration = new Configuration(hdfs.getConfiguration(0));
        user.doAs((PrivilegedExceptionAction<@Nullable Void>) () -> {
            onHdfs.put(caller, HadoopSubject.connect(configuration, hdfs::triggerHeartbeats));
            onTatami.put(caller, HadoopSubject.connect(tatami.get(), Thread::onSpinWait));
            return null;
        });
    }

    /** What comes of an operation done by its user; where a link leads elsewhere, too, he goes as himself. */
    Outcome outcomeOnHdfs(RandomOperation operation) {
        return outcome(operation, onHdfs(operation.caller()));
    }

    Outcome outcomeOnTatami(RandomOperation operation) {
        return outcome(operation, onTatami(operation.caller()));
    }

    private Outcome outcome(RandomOperation operation, Subject subject) {
        UserGroupInformation user = Objects.requireNonNull(users.get(operation.caller()));
        return user.doAs((PrivilegedAction<Outcome>) () -> Outcome.of(operation, subject));
    }

    Subject onHdfs(Caller caller) {
        return Objects.requireNonNull(onHdfs.get(caller));
    }

    Subject onTatami(Caller caller) {
        return Objects.requireNonNull(onTatami.get(caller));
    }

    @Override
    public void close() {
        hdfs.shutdown();
    }
}
