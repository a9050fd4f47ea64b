package io.tatami.server.lab.command;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.Lab;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code tatami lab down}. */
@Command(
        name = "down",
        description = "Takes a lab away with all that it stored, or what is left of one whose commands were killed.")
final class LabDownCommand extends LabAction {
    @Override
    int run() throws IOException, InterruptedException {
        String node = System.getenv(Lab.NODE_VARIABLE);
        if (node != null) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "this command runs on " + node + ", and would end itself; run it outside");
        }
        Lab.remove(directory());
        say("the lab in " + directory() + " is gone");
        return DONE;
    }
}
