package io.tatami.server.lab;

import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** How the nodes of a lab are kept apart from each other and from the machine. Used by one thread. */
interface NodeIsolation {
    /** Makes what the nodes stand on, before any server is started. */
    void make() throws IOException, InterruptedException;

    /** What stands before a command so that it runs on the node. */
    List<String> entering(LabNode node) throws IOException;

    /** What a Java server on a node is told besides. */
    List<String> javaOptions(LabNode node);

    /** What a command of a user needs in its environment. */
    Map<String, String> environment(LabNode node);

    /** The path for {@code --volume}; HDFS's disk where there is no Tatami. */
    Path volume(LabNode node) throws IOException, InterruptedException;

    /** Has the volume's device end: what was on it is lost, and nothing can be read or written until {@link #wipe}. */
    void fail(LabNode node) throws IOException, InterruptedException;

    /** Makes the volume as new. */
    void wipe(LabNode node) throws IOException, InterruptedException;

    /** Has no packet of {@code sender} arrive at {@code receiver}. */
    void cut(LabNode sender, LabNode receiver) throws IOException, InterruptedException;

    /** Takes {@link #cut} back. */
    void heal(LabNode sender, LabNode receiver) throws IOException, InterruptedException;

    /** Those whose packets do not arrive at the node. */
    List<LabNode> cutSenders(LabNode receiver) throws IOException, InterruptedException;

    void limit(LabNode node, LinkRate rate) throws IOException, InterruptedException;

    /** Of each rack. */
    void limitUplinks(LinkRate rate) throws IOException, InterruptedException;

    /** What the kernel holds a rack's uplink to; racks count from 0. */
    LinkRate uplinkRate(int rack) throws IOException, InterruptedException;

    /** Of each of its disks. */
    void limit(LabNode node, DiskRate rate) throws IOException, InterruptedException;

    /** What the kernel holds the node's link to. */
    LinkRate linkRate(LabNode node) throws IOException, InterruptedException;

    /** What the kernel holds the node's volume to. */
    DiskRate diskRate(LabNode node) throws IOException, InterruptedException;
}
