package io.tatami.server.cli;

import picocli.CommandLine.Command;

/** {@code tatami admin …}. */
@Command(
        name = "admin",
        description = "Changes what a cluster is made of.",
        subcommands = {AdminMetadataCommand.class})
final class AdminCommand {}
