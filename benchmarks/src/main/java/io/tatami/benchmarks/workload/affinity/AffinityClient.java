package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.client.BalancerSwitch;
import io.tatami.benchmarks.harness.client.CommandLines;
import io.tatami.benchmarks.harness.yarn.ContainerPlacer;
import io.tatami.benchmarks.harness.yarn.LabYarn;
import io.tatami.benchmarks.harness.yarn.RegisteredNode;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * A client on a node, whose name is the first argument; the second is the directory of the configuration. Its commands
 * are {@code nodes COUNT}, {@code unbalanced}, {@code input NUMBER WORK}, {@code room}, {@code delete}, {@code job WORK
 * REPORTS}, {@code register}, {@code place WORK}, {@code release} and {@code run NUMBER MILLIS WORK}. Those from
 * {@code register} on are for clusters without NodeManagers.
 */
final class AffinityClient {
    private final String node;
    private final Configuration configuration;
    private @Nullable ContainerPlacer placer;

    private AffinityClient(String node, Configuration configuration) {
        this.node = node;
        this.configuration = configuration;
    }

    /** Connected by the first command that needs it: while YARN's daemons start, the cores are busy. */
    private FileSystem fs() throws IOException {
        return FileSystem.get(configuration);
    }

    public static void main(String[] words) throws Exception {
        AffinityClient client = new AffinityClient(words[0], LabYarn.read(Path.of(words[1])));
        CommandLines.serve(client::answer);
        System.exit(0);
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "nodes" -> LabYarn.awaitNodes(configuration, Integer.parseInt(words[1]));
            case "unbalanced" -> stopBalancer();
            case "input" -> AffinityWork.parse(words[2]).write(fs(), Integer.parseInt(words[1]), () -> {});
            case "room" -> {
                return Long.toString(fs().getStatus().getRemaining());
            }
            case "delete" -> fs().delete(AffinityWork.DIRECTORY, true);
            case "job" -> AffinityJob.run(configuration, AffinityWork.parse(words[1]), Path.of(words[2]));
            // Beats until this process ends.
            case "register" -> RegisteredNode.register(configuration, node, AffinityJob.TASK_MEBIBYTES);
            case "place" -> {
                return place(AffinityWork.parse(words[1]));
            }
            case "release" -> release();
            case "run" -> {
                return run(Integer.parseInt(words[1]), Long.parseLong(words[2]), AffinityWork.parse(words[3]));
            }
            default -> throw new IOException("there is no command " + words[0]);
        }
        return "";
    }

    /** HDFS moves copies by a command, Tatami by itself. */
    private void stopBalancer() throws IOException {
        String authority = FileSystem.getDefaultUri(configuration).getAuthority();
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try (TatamiClient client = TatamiClient.connect(authority, user, Settings.defaults())) {
            BalancerSwitch.stop(client.cluster());
        }
    }

    private String run(int number, long grantedMillis, AffinityWork work) throws IOException {
        return work.run(fs(), number, work.hosts(fs(), number), node, grantedMillis, () -> {})
                .toString();
    }

    /** Words such as {@code 0 node3 1764428400000}, three for each task. */
    private String place(AffinityWork work) throws IOException, InterruptedException, YarnException {
        List<List<String>> hosts = new ArrayList<>();
        for (int number = 0; number < work.tasks(); number++) {
            hosts.add(work.isLocated() ? work.hosts(fs(), number) : List.of());
        }
        List<Integer> order = IntStream.range(0, work.tasks()).boxed().collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(order, new Random(work.seed()));
        ContainerPlacer own = ContainerPlacer.submit(configuration, AffinityJob.TASK_MEBIBYTES);
        placer = own;
        return own.place(hosts, order).stream()
                .map(grant -> grant.task() + " " + grant.host() + " " + grant.millis())
                .collect(Collectors.joining(" "));
    }

    private void release() throws IOException {
        if (placer != null) {
            placer.close();
        }
    }
}
