package io.tatami.server.cli;

import picocli.CommandLine.Command;

/** {@code tatami admin …}. */
@Command(
        name = "admin",
        description = "Changes the servers of a cluster.",
        subcommands = {AdminCommand.Metadata.class})
final class AdminCommand {
    /** {@code tatami admin metadata …}. */
    @Command(
            name = "metadata",
            description = "Adds, removes and replicates metadata servers while the cluster works.",
            subcommands = {
                MetadataStatusCommand.class,
                AddMetadataServerCommand.class,
                RemoveMetadataServerCommand.class,
                ReplicateMetadataCommand.class
            })
    static final class Metadata {}
}
