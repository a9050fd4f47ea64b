package io.tatami.benchmarks.harness.client;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The end of a client process at which a benchmark gives it commands: its standard input, a line each. */
public final class CommandLines {
    private static final String END = "end";

    private CommandLines() {}

    /** What is done for a line. */
    @FunctionalInterface
    public interface Command {
        /**
         * Does it.
         *
         * @param words of the line
         * @return the answer, in one line
         */
        String run(String[] words) throws Exception;
    }

    /** Says that the process is ready, and answers each line until {@code end} or the last; a failure ends that. */
    public static void serve(Command command) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = lines.readLine(); line != null && !line.equals(END); line = lines.readLine()) {
            System.out.println("done " + command.run(line.split(" ", -1)));
        }
    }
}
