package io.tatami.server.cli;

import picocli.CommandLine.Command;

/** {@code tatami start …}. */
@Command(
        name = "start",
        description = "Starts a server in the background.",
        subcommands = {StartStandaloneCommand.class, StartMetadataCommand.class, StartBlockCommand.class})
final class StartCommand {}
