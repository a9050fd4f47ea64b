package io.tatami.server.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One host of a lab.
 *
 * @param number from 1
 * @param name which the hosts file of the lab gives the address
 * @param directory of what it stores, its logs, and the ids of its processes
 * @param roles of the servers that run on it
 */
public record LabNode(int number, String name, String address, String rack, Path directory, List<LabRole> roles) {
    private static final String NAMESPACE_NETWORK = "10.87.0.";
    private static final String LOOPBACK_NETWORK = "127.0.0.";
    private static final int FIRST_ADDRESS = 11;

    static LabNode of(LabSpec spec, int number) {
        String name = "node" + number;
        String network = spec.hasNamespaces() ? NAMESPACE_NETWORK : LOOPBACK_NETWORK;
        List<LabRole> roles = new ArrayList<>();
        if (spec.hasTatami()) {
            if (number <= spec.shape().metadataServers()) {
                roles.add(LabRole.METADATA);
            }
            roles.add(LabRole.BLOCK);
        }
        if (spec.hasHdfs()) {
            if (number == 1) {
                roles.add(LabRole.NAMENODE);
            }
            roles.add(LabRole.DATANODE);
        }
        return new LabNode(
                number,
                name,
                network + (FIRST_ADDRESS + number - 1),
                "/rack" + rackNumber(spec, number),
                new LabDirectory(spec.directory()).node(name),
                List.copyOf(roles));
    }

    private static int rackNumber(LabSpec spec, int number) {
        return (number - 1) % spec.shape().racks();
    }

    /** From 0. */
    int rackNumber(LabSpec spec) {
        return rackNumber(spec, number);
    }

    /** The directory of a Tatami server, for {@code --data}. */
    public Path data(LabRole role) {
        return directory.resolve(role.word());
    }

    /** What a server prints. */
    public Path output(LabRole role) {
        return directory.resolve(role.word() + ".out");
    }

    /** Of the configuration of clients that run on the node. */
    public Path clientConfiguration() {
        return directory.resolve("conf");
    }

    /** Of the id of a process. */
    Path processFile(String word) {
        return directory.resolve(word + ".process");
    }
}
