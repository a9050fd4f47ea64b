package io.tatami.server.lab.command;

import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabRole;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands about the servers of one node. */
final class ServerCommands {
    private ServerCommands() {}

    /** One that is about a node. */
    abstract static class OfNode extends LabAction {
        @Parameters(index = "0", paramLabel = "NODE", description = "Such as node1.")
        private String node;

        @Override
        final int run() throws IOException, InterruptedException {
            Lab lab = lab();
            run(lab, lab.node(node));
            return DONE;
        }

        abstract void run(Lab lab, LabNode node) throws IOException, InterruptedException;
    }

    /** One that is about some of a node's servers. */
    abstract static class OfServers extends OfNode {
        @Option(names = "--metadata", description = "The metadata server, and HDFS's NameNode where it is there.")
        private boolean metadata;

        @Option(
                names = "--block",
                description = "The block server, and HDFS's DataNode where it is there; without an option these.")
        private boolean block;

        final List<LabRole> roles(LabNode node) {
            List<LabRole> roles = new ArrayList<>();
            if (metadata) {
                roles.add(LabRole.METADATA);
                addIfThere(roles, node, LabRole.NAMENODE);
            }
            if (block || !metadata) {
                roles.add(LabRole.BLOCK);
                addIfThere(roles, node, LabRole.DATANODE);
            }
            return roles;
        }

        private static void addIfThere(List<LabRole> roles, LabNode node, LabRole role) {
            if (node.roles().contains(role)) {
                roles.add(role);
            }
        }
    }

    /** {@code tatami lab kill NODE}. */
    @Command(name = "kill", description = "Ends servers of a node as a crash does.")
    static final class Kill extends OfServers {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.kill(node, roles(node));
        }
    }

    /** {@code tatami lab start NODE}. */
    @Command(name = "start", description = "Starts servers of a node that do not run, and returns when they serve.")
    static final class Start extends OfServers {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.start(node, roles(node));
        }
    }

    /** {@code tatami lab pause NODE}. */
    @Command(name = "pause", description = "Stops servers of a node where they are: they hang, and keep connections.")
    static final class Pause extends OfServers {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.pause(node, roles(node));
        }
    }

    /** {@code tatami lab resume NODE}. */
    @Command(name = "resume", description = "Has paused servers of a node go on.")
    static final class Resume extends OfServers {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.resume(node, roles(node));
        }
    }

    /** {@code tatami lab fail NODE}. */
    @Command(
            name = "fail",
            description = "Has the volume of a node end as a disk that is pulled out; a kill and a wipe give it a new"
                    + " one. Needs root.")
    static final class Fail extends OfNode {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.fail(node);
        }
    }

    /** {@code tatami lab wipe NODE}. */
    @Command(
            name = "wipe",
            description = "Loses the volume of a node whose block server was killed; a start makes a new block server.")
    static final class Wipe extends OfNode {
        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            lab.wipe(node);
        }
    }
}
