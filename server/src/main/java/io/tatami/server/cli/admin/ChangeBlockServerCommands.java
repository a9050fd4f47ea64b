package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.ChangeBlockServerRequest.Action;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.TimeSpan;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The verbs of {@code tatami admin block} that change one server. */
final class ChangeBlockServerCommands {
    private ChangeBlockServerCommands() {}

    /** One change of one server. */
    abstract static class Change implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private BlockServerArgument server;

        /** The change, without the server. */
        abstract ChangeBlockServerRequest.Builder change();

        @Override
        public Integer call() throws TatamiException {
            try (TatamiClient client = server.connect()) {
                int id = server.find(client.cluster()).getServerId();
                BlockServerInfo now = BlockServerArgument.find(
                        client.cluster()
                                .changeBlockServer(change().setServerId(id).build()),
                        Integer.toString(id));
                spec.commandLine()
                        .getOut()
                        .printf(
                                "block server %d (%s) is %s in rack %s%n",
                                id,
                                BlockServerArgument.address(now),
                                now.getState().name().toLowerCase(Locale.ROOT),
                                now.getRack());
                spec.commandLine().getOut().flush();
            }
            return ExitCode.DONE;
        }

        static ChangeBlockServerRequest.Builder of(Action action) {
            return ChangeBlockServerRequest.newBuilder().setAction(action);
        }
    }

    /** {@code tatami admin block drain [URI] SERVER}. */
    @Command(name = "drain", description = "Gives a block server no more blocks; readers go to other copies first.")
    static final class Drain extends Change {
        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.DRAIN);
        }
    }

    /** {@code tatami admin block undrain [URI] SERVER}. */
    @Command(name = "undrain", description = "Ends a drain or a maintenance: the block server takes blocks again.")
    static final class Undrain extends Change {
        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.SERVE);
        }
    }

    /** {@code tatami admin block maintenance [URI] SERVER --for 2h}. */
    @Command(
            name = "maintenance",
            description =
                    "Announces that a block server will be away for a while: it takes no blocks and is read last.")
    static final class Maintenance extends Change {
        @Option(
                names = "--for",
                required = true,
                paramLabel = "TIME",
                converter = TimeSpan.class,
                description = "How long, for example 2h.")
        private Duration time;

        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.MAINTENANCE).setMaintenanceMillis(time.toMillis());
        }
    }

    /** {@code tatami admin block give-up [URI] SERVER}. */
    @Command(
            name = "give-up",
            description = "Gives up a dead block server for good: it never comes back under its id, and what it alone"
                    + " has is lost.")
    static final class GiveUp extends Change {
        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.GIVE_UP);
        }
    }

    /** {@code tatami admin block rack [URI] SERVER RACK}. */
    @Command(name = "rack", description = "Sets the rack of a block server.")
    static final class Rack extends Change {
        @Parameters(
                index = "1",
                paramLabel = "RACK",
                description = "For example /room1/rack7; '' for the one it starts with, or that is looked up.")
        private String rack;

        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.SET_RACK).setRack(rack);
        }
    }

    /** {@code tatami admin block admit [URI] SERVER}. */
    @Command(
            name = "admit",
            description = "Lets a dead block server come back with a disk that does not show its last start: one that"
                    + " was restored. Of two copies of the disk only the first that starts is taken.")
    static final class Admit extends Change {
        @Override
        ChangeBlockServerRequest.Builder change() {
            return of(Action.ADMIT);
        }
    }

    /** {@code tatami admin block forget [URI] SERVER}. */
    @Command(
            name = "forget",
            description = "Takes a block server that was drained, or given up, out of the cluster for good, once it is"
                    + " stopped.")
    static final class Forget implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private BlockServerArgument server;

        @Override
        public Integer call() throws TatamiException {
            try (TatamiClient client = server.connect()) {
                int id = server.find(client.cluster()).getServerId();
                var unused = client.cluster()
                        .changeBlockServer(
                                Change.of(Action.FORGET).setServerId(id).build());
                spec.commandLine().getOut().printf("block server %d is forgotten%n", id);
                spec.commandLine().getOut().flush();
            }
            return ExitCode.DONE;
        }
    }

    /** {@code tatami admin block release-brake [URI]}. */
    @Command(
            name = "release-brake",
            description = "Has copies made although so many block servers are silent, until those are back.")
    static final class ReleaseBrake implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private ClusterArgument cluster;

        @Override
        public Integer call() throws TatamiException {
            try (TatamiClient client = cluster.connect()) {
                ClusterMap map = client.cluster()
                        .changeBlockServer(Change.of(Action.RELEASE_BRAKE).build());
                long released = map.getBlockServerList().stream()
                        .filter(BlockServerInfo::getBrakeReleased)
                        .count();
                spec.commandLine()
                        .getOut()
                        .printf("%d silent block servers do not keep copies from being made%n", released);
                spec.commandLine().getOut().flush();
            }
            return ExitCode.DONE;
        }
    }
}
