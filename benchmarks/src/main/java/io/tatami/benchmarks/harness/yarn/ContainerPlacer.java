package io.tatami.benchmarks.harness.yarn;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.util.RackResolver;

/**
 * An application of YARN whose master is this process: it asks the scheduler for a container for each task, and gives
 * what is granted to tasks as MapReduce's master does: to one with a copy on that node, else to one with a copy in that
 * rack, else to the first. Containers are held until it is closed. Used by one thread.
 */
public final class ContainerPlacer implements AutoCloseable {
    private static final Priority PRIORITY = Priority.newInstance(20);
    private static final int MASTER_MEBIBYTES = 256;
    private static final long POLL_MILLIS = 200;
    private static final long LIMIT_SECONDS = 300;

    private final Resource task;
    private final UserGroupInformation user;
    private final AMRMClient<ContainerRequest> master;

    /**
     * A container for a task.
     *
     * @param task its number
     * @param millis when the scheduler's answer came, of the epoch
     */
    public record Grant(int task, String host, long millis) {}

    /** A task that has no container yet. */
    private record Pending(int number, List<String> hosts, List<String> racks, ContainerRequest request) {}

    private ContainerPlacer(Resource task, UserGroupInformation user, AMRMClient<ContainerRequest> master) {
        this.task = task;
        this.user = user;
        this.master = master;
    }

    /**
     * Submits the application and registers as its master.
     *
     * @param mebibytes of each task's container
     */
    public static ContainerPlacer submit(Configuration configuration, int mebibytes)
            throws IOException, InterruptedException, YarnException {
        RackResolver.init(configuration);
        Token<AMRMTokenIdentifier> token = submittedToken(configuration);
        token.setService(ClientRMProxy.getAMRMTokenService(configuration));
        // A user of its own, as connections of another application's master are not to be used again.
        UserGroupInformation user = UserGroupInformation.createRemoteUser(
                UserGroupInformation.getCurrentUser().getShortUserName());
        user.addToken(token);
        AMRMClient<ContainerRequest> master = AMRMClient.createAMRMClient();
        user.doAs((PrivilegedExceptionAction<Object>) () -> {
            master.init(configuration);
            master.start();
            return master.registerApplicationMaster("", 0, "");
        });
        return new ContainerPlacer(Resource.newInstance(mebibytes, 1), user, master);
    }

    private static Token<AMRMTokenIdentifier> submittedToken(Configuration configuration)
            throws IOException, InterruptedException, YarnException {
        try (YarnClient client = YarnClient.createYarnClient()) {
            client.init(configuration);
            client.start();
            ApplicationSubmissionContext context = client.createApplication().getApplicationSubmissionContext();
            context.setApplicationName("placement");
            context.setQueue("default");
            context.setUnmanagedAM(true);
            context.setResource(Resource.newInstance(MASTER_MEBIBYTES, 1));
            context.setAMContainerSpec(ContainerLaunchContext.newInstance(null, null, null, null, null, null));
            ApplicationId id = client.submitApplication(context);
            long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!isLaunched(client, id)) {
                if (System.nanoTime() - endNanos > 0) {
                    throw new IOException(id + " has no master after " + LIMIT_SECONDS + " s: "
                            + client.getApplicationReport(id).getDiagnostics());
                }
                Thread.sleep(POLL_MILLIS);
            }
            return client.getAMRMToken(id);
        }
    }

    private static boolean isLaunched(YarnClient client, ApplicationId id) throws IOException, YarnException {
        ApplicationReport report = client.getApplicationReport(id);
        return report.getCurrentApplicationAttemptId() != null
                && client.getApplicationAttemptReport(report.getCurrentApplicationAttemptId())
                                .getYarnApplicationAttemptState()
                        == YarnApplicationAttemptState.LAUNCHED;
    }

    /**
     * Waits for a container for each task.
     *
     * @param hosts of each task's bytes, by its number; none for a task that may be anywhere
     * @param order of the tasks that are equally near to what is granted
     */
    public List<Grant> place(List<List<String>> hosts, List<Integer> order) throws IOException, InterruptedException {
        List<Pending> pending = new ArrayList<>();
        for (int number : order) {
            pending.add(pending(number, hosts.get(number)));
        }
        pending.forEach(each -> master.addContainerRequest(each.request));
        List<Grant> grants = new ArrayList<>();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!pending.isEmpty()) {
            if (System.nanoTime() - endNanos > 0) {
                throw new IOException(pending.size() + " tasks have no container after " + LIMIT_SECONDS + " s");
            }
            for (Container container : granted()) {
                if (pending.isEmpty()) {
                    master.releaseAssignedContainer(container.getId());
                } else {
                    String host = container.getNodeId().getHost();
                    Pending chosen = choose(pending, host);
                    pending.remove(chosen);
                    master.removeContainerRequest(chosen.request);
                    grants.add(new Grant(chosen.number, host, System.currentTimeMillis()));
                }
            }
            Thread.sleep(POLL_MILLIS);
        }
        return grants;
    }

    private Pending pending(int number, List<String> hosts) {
        String[] nodes = hosts.isEmpty() ? null : hosts.toArray(String[]::new);
        List<String> racks =
                hosts.stream().map(ContainerPlacer::rack).distinct().toList();
        return new Pending(number, hosts, racks, new ContainerRequest(task, nodes, null, PRIORITY));
    }

    private static String rack(String host) {
        return RackResolver.resolve(host).getNetworkLocation();
    }

    private List<Container> granted() throws IOException, InterruptedException {
        return user.doAs((PrivilegedExceptionAction<List<Container>>)
                () -> master.allocate(0).getAllocatedContainers());
    }

    private static Pending choose(List<Pending> pending, String host) {
        String rack = rack(host);
        return first(
                pending,
                each -> each.hosts.contains(host),
                first(pending, each -> each.racks.contains(rack), pending.get(0)));
    }

    private static Pending first(List<Pending> pending, Predicate<Pending> holds, Pending otherwise) {
        return pending.stream().filter(holds).findFirst().orElse(otherwise);
    }

    /** Ends the application, which gives its containers back. */
    @Override
    public void close() throws IOException {
        try {
            user.doAs((PrivilegedExceptionAction<Object>) () -> {
                master.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
                return "";
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            master.stop();
        }
    }
}
