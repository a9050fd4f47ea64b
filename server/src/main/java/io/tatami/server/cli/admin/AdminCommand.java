package io.tatami.server.cli.admin;

import picocli.CommandLine.Command;

/** {@code tatami admin …}. */
@Command(
        name = "admin",
        description = "Changes the servers of a cluster, and collects what they tell of a fault.",
        subcommands = {
            AdminCommand.Metadata.class,
            AdminCommand.Block.class,
            AdminCommand.Volumes.class,
            SafeModeCommand.class,
            DumpCommand.class
        })
public final class AdminCommand {
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

    /** {@code tatami admin block …}. */
    @Command(
            name = "block",
            description = "Drains block servers, announces their maintenance, and sets racks and the rate of copies.",
            subcommands = {
                BlockStatusCommand.class,
                ChangeBlockServerCommands.Drain.class,
                ChangeBlockServerCommands.Undrain.class,
                ChangeBlockServerCommands.Maintenance.class,
                ChangeBlockServerCommands.GiveUp.class,
                ChangeBlockServerCommands.Forget.class,
                ChangeBlockServerCommands.Admit.class,
                ChangeBlockServerCommands.ReleaseBrake.class,
                ChangeBlockServerCommands.Rack.class,
                BlockRateCommand.class,
                BlockBalanceCommand.class
            })
    static final class Block {}

    /** {@code tatami admin volume …}. */
    @Command(
            name = "volume",
            description = "Adds, drains and removes volumes of a block server that runs.",
            subcommands = {
                VolumeStatusCommand.class,
                ChangeVolumeCommands.Add.class,
                ChangeVolumeCommands.Drain.class,
                ChangeVolumeCommands.Remove.class
            })
    static final class Volumes {}
}
