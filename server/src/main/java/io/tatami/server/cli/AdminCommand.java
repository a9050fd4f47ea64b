package io.tatami.server.cli;

import picocli.CommandLine.Command;

/** {@code tatami admin …}. */
@Command(
        name = "admin",
        description = "Changes what a cluster is made of.",
        subcommands = {AdminCommand.Metadata.class})
final class AdminCommand {
    /** {@code tatami admin metadata …}. */
    @Command(
            name = "metadata",
            description = "Metadata servers come and go while the cluster works, and what they hold moves.",
            subcommands = {
                MetadataStatusCommand.class,
                AddMetadataServerCommand.class,
                RemoveMetadataServerCommand.class,
                ReplicateMetadataCommand.class
            })
    static final class Metadata {}
}
