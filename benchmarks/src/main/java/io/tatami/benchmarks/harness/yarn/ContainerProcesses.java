package io.tatami.benchmarks.harness.yarn;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The processes of containers. A NodeManager that ends in a hurry leaves them to themselves, in sessions of their own,
 * where they try for minutes to reach it.
 */
final class ContainerProcesses {
    private static final long WAIT_SECONDS_MAX = 10;

    private ContainerProcesses() {}

    /**
     * Ends those of a NodeManager that is gone.
     *
     * @param directory the NodeManager's own, which each container's command names
     */
    static void end(Path directory) {
        List<ProcessHandle> found = ProcessHandle.allProcesses()
                .filter(process -> names(process, directory))
                .toList();
        found.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle process : found) {
            // What they write is to be removed next. That they do end is up to the kernel.
            process.onExit()
                    .completeOnTimeout(process, WAIT_SECONDS_MAX, TimeUnit.SECONDS)
                    .join();
        }
    }

    private static boolean names(ProcessHandle process, Path directory) {
        Optional<String> command = process.info().commandLine();
        return command.isPresent() && command.get().contains(directory + "/");
    }
}
