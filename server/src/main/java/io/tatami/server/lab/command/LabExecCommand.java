package io.tatami.server.lab.command;

import io.tatami.server.lab.Lab;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tatami lab exec NODE COMMAND…}. */
@Command(
        name = "exec",
        description = "Runs a command on a node, with TATAMI_URI, TATAMI_CLIENT_HOST and HADOOP_CONF_DIR in its"
                + " environment, and ends with its exit code.")
final class LabExecCommand extends LabAction {
    @Parameters(index = "0", paramLabel = "NODE", description = "Such as node1.")
    private String node;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "With its arguments.")
    private List<String> command;

    @Override
    int run() throws IOException, InterruptedException {
        Lab lab = lab();
        return lab.command(lab.node(node), command).inheritIO().start().waitFor();
    }
}
