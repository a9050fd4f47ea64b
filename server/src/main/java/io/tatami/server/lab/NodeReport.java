package io.tatami.server.lab;

import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.ProcessMark;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a node is doing.
 *
 * @param servers by role
 * @param cutSenders the nodes whose packets do not arrive here
 * @param link what the kernel holds the link to
 * @param disk what the kernel holds the volume to
 */
public record NodeReport(
        LabNode node,
        Map<LabRole, Server> servers,
        List<LabNode> cutSenders,
        LinkRate link,
        DiskRate disk,
        Path volume) {
    /**
     * A server.
     *
     * @param pid of its process, also where that is gone; empty where it was never started
     */
    public record Server(OptionalLong pid, ProcessMark.State state) {}

    public Server server(LabRole role) {
        Server server = servers.get(role);
        if (server == null) {
            throw new IllegalArgumentException(node.name() + " has no " + role);
        }
        return server;
    }
}
