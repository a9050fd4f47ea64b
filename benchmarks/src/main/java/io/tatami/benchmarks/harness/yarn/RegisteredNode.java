package io.tatami.benchmarks.harness.yarn;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.api.ResourceTracker;
import org.apache.hadoop.yarn.server.api.ServerRMProxy;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatResponse;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerResponse;
import org.apache.hadoop.yarn.server.api.records.MasterKey;
import org.apache.hadoop.yarn.server.api.records.NodeAction;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;
import org.apache.hadoop.yarn.util.YarnVersionInfo;

/**
 * This process as a NodeManager in the eyes of a ResourceManager: it registers, and says each second that it is well.
 * Containers that are granted here are not started by it; who was granted one tells this process what to do.
 */
public final class RegisteredNode implements AutoCloseable {
    private static final int PORT = 8041;
    private static final int HTTP_PORT = 8042;
    private static final long HEARTBEAT_MILLIS = 1_000;

    private final NodeId id;
    private final ResourceTracker tracker;
    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor(beat -> {
        Thread thread = new Thread(beat, "heartbeats to the ResourceManager");
        thread.setDaemon(true);
        return thread;
    });
    private MasterKey containerKey;
    private MasterKey tokenKey;
    private int responseId;

    private RegisteredNode(NodeId id, ResourceTracker tracker, RegisterNodeManagerResponse registered) {
        this.id = id;
        this.tracker = tracker;
        this.containerKey = registered.getContainerTokenMasterKey();
        this.tokenKey = registered.getNMTokenMasterKey();
    }

    /**
     * Registers; waits for a ResourceManager that does not listen yet.
     *
     * @param host as which
     * @param mebibytes for containers
     */
    public static RegisteredNode register(Configuration configuration, String host, int mebibytes)
            throws IOException, YarnException {
        NodeId id = NodeId.newInstance(host, PORT);
        ResourceTracker tracker = ServerRMProxy.createRMProxy(configuration, ResourceTracker.class);
        RegisterNodeManagerResponse registered = tracker.registerNodeManager(RegisterNodeManagerRequest.newInstance(
                id, HTTP_PORT, Resource.newInstance(mebibytes, 1), YarnVersionInfo.getVersion(), List.of(), List.of()));
        if (registered.getNodeAction() != NodeAction.NORMAL) {
            throw new IOException("the ResourceManager refuses " + host + ": " + registered.getDiagnosticsMessage());
        }
        RegisteredNode node = new RegisteredNode(id, tracker, registered);
        ScheduledFuture<?> unused =
                node.heart.scheduleWithFixedDelay(node::beat, 0, HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS);
        return node;
    }

    /** A beat that fails ends them all: the ResourceManager counts this node as lost, and a job does not get on. */
    private void beat() {
        NodeStatus status = NodeStatus.newInstance(
                id,
                responseId,
                List.of(),
                List.of(),
                NodeHealthStatus.newInstance(true, "", System.currentTimeMillis()),
                null,
                null,
                List.of());
        try {
            NodeHeartbeatResponse response =
                    tracker.nodeHeartbeat(NodeHeartbeatRequest.newInstance(status, containerKey, tokenKey, Set.of()));
            if (response.getNodeAction() != NodeAction.NORMAL) {
                throw new IOException(response.getNodeAction() + ": " + response.getDiagnosticsMessage());
            }
            responseId = response.getResponseId();
            containerKey = response.getContainerTokenMasterKey() == null
                    ? containerKey
                    : response.getContainerTokenMasterKey();
            tokenKey = response.getNMTokenMasterKey() == null ? tokenKey : response.getNMTokenMasterKey();
        } catch (IOException | YarnException e) {
            throw new IllegalStateException("a heartbeat of " + id + " failed", e);
        }
    }

    @Override
    public void close() {
        heart.shutdownNow();
        RPC.stopProxy(tracker);
    }
}
