package io.tatami.server.lab.host;

import java.io.IOException;

/**
 * A bridge for the nodes of a rack, and its uplink: a pair of virtual links to the bridge of all racks. Needs root and
 * the programs of iproute2.
 *
 * @param bridge to which the rack's nodes are connected
 * @param lower the end of the uplink that sends what leaves the rack
 * @param upper the end of the uplink that sends what comes to the rack
 */
public record RackSwitch(String bridge, String lower, String upper) {
    /** @param prefix of at most 10 characters, as a name of a link has at most 15 */
    public static RackSwitch of(String prefix, int rack) {
        return new RackSwitch(prefix + "-b" + rack, prefix + "-l" + rack, prefix + "-u" + rack);
    }

    /** @param core the bridge of all racks */
    public void make(String core) throws IOException, InterruptedException {
        NetworkNamespace.makeBridge(bridge);
        Program.run("ip", "link", "add", lower, "type", "veth", "peer", "name", upper);
        Program.run("ip", "link", "set", lower, "master", bridge, "up");
        Program.run("ip", "link", "set", upper, "master", core, "up");
    }
}
