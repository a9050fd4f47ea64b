package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.LocalHost;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Nodes that are addresses of the loopback interface, for users who are not root. Names are those of the lab's hosts
 * file, for programs in Java. There are no local sockets and so no shared memory, as every node would have those of the
 * others.
 */
final class LoopbackIsolation implements NodeIsolation {
    private static final String JAVA_OPTIONS = "JAVA_TOOL_OPTIONS";

    private final LabDirectory directory;
    private final LabSpec spec;

    LoopbackIsolation(LabSpec spec) {
        this.spec = spec;
        this.directory = new LabDirectory(spec.directory());
    }

    @Override
    public void make() {
        // Every address of the loopback interface is there.
    }

    @Override
    public List<String> entering(LabNode node) {
        return List.of();
    }

    private String hostsOption() {
        return "-Djdk.net.hosts.file=" + directory.hosts();
    }

    @Override
    public List<String> javaOptions(LabNode node) {
        return List.of(hostsOption(), "-Dtatami.rpc.local.socket=false", "-Dtatami.block.shared.memory=0");
    }

    @Override
    public Map<String, String> environment(LabNode node) {
        String inherited = System.getenv(JAVA_OPTIONS);
        return Map.of(
                LocalHost.ENVIRONMENT_NAME,
                node.name(),
                JAVA_OPTIONS,
                inherited == null ? hostsOption() : inherited + " " + hostsOption());
    }

    @Override
    public Path volume(LabNode node) {
        return node.directory().resolve("volume");
    }

    @Override
    public void fail(LabNode node) throws TatamiException {
        throw needsRoot("fail");
    }

    @Override
    public void wipe(LabNode node) throws IOException {
        // The server makes it when it starts.
        Files.deleteIfExists(volume(node));
    }

    @Override
    public void cut(LabNode sender, LabNode receiver) throws TatamiException {
        throw needsRoot("cut");
    }

    @Override
    public void heal(LabNode sender, LabNode receiver) {
        // Nothing is ever cut.
    }

    @Override
    public List<LabNode> cutSenders(LabNode receiver) {
        return List.of();
    }

    @Override
    public void limit(LabNode node, LinkRate rate) throws TatamiException {
        throw needsRoot("slow --rate");
    }

    @Override
    public void limitUplinks(LinkRate rate) throws TatamiException {
        throw needsRoot("slow --rate");
    }

    @Override
    public LinkRate uplinkRate(int rack) {
        return LinkRate.UNLIMITED;
    }

    @Override
    public void limit(LabNode node, DiskRate rate) throws TatamiException {
        throw needsRoot("slow --disk-rate");
    }

    @Override
    public LinkRate linkRate(LabNode node) {
        return LinkRate.UNLIMITED;
    }

    @Override
    public DiskRate diskRate(LabNode node) {
        return DiskRate.UNLIMITED;
    }

    private TatamiException needsRoot(String verb) {
        return new TatamiException(
                ErrorCode.UNSUPPORTED,
                "'lab " + verb + "' needs root: the nodes of " + spec.directory() + " are addresses of one loopback"
                        + " interface, and share its disks. Make the lab as root and without --loopback");
    }
}
