package io.tatami.benchmarks.harness.yarn;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Runs programs of Hadoop in this process, as its {@code hadoop jar} does. */
public final class HadoopTool {
    private HadoopTool() {}

    /** @throws IOException where it ends with another code than 0; YARN's logs tell why */
    public static void run(Configuration configuration, Tool tool, String... arguments) throws Exception {
        int exitCode = ToolRunner.run(new Configuration(configuration), tool, arguments);
        if (exitCode != 0) {
            throw new IOException(
                    tool.getClass().getSimpleName() + " " + String.join(" ", arguments) + " ended with " + exitCode);
        }
    }
}
