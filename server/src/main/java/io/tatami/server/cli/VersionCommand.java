package io.tatami.server.cli;

import io.tatami.server.cli.option.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tatami version}. */
@Command(name = "version", description = "Prints the version of this program.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().println("tatami " + version());
        return ExitCode.DONE;
    }

    /** The release, or that it was built from source. */
    static String version() {
        @Nullable String version = TatamiServer.class.getPackage().getImplementationVersion();
        return version == null ? "(built from source)" : version;
    }
}
