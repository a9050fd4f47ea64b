package io.tatami.benchmarks.workload.dfsio;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.TestDFSIO;
import org.apache.hadoop.util.ToolRunner;

/**
 * One JVM that runs TestDFSIO again and again, so that its later runs are warm. Told what to do by lines of TestDFSIO's
 * arguments on its standard input; answers each with {@code done SECONDS_OF_MAPS SECONDS_OF_JOB}, read from TestDFSIO's
 * own report.
 */
public final class DfsioWorker {
    private DfsioWorker() {}

    /** Arguments: a file for reports. The configuration is on the class path. */
    public static void main(String[] arguments) throws Exception {
        Path report = Path.of(arguments[0]);
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(run(line, report));
        }
    }

    private static String run(String line, Path report) throws Exception {
        Files.deleteIfExists(report);
        String[] words = (line + " -resFile " + report).split(" ", -1);
        int status = ToolRunner.run(new Configuration(), new TestDFSIO(), words);
        if (status != 0) {
            throw new IOException("TestDFSIO ended with status " + status);
        }
        if (Arrays.asList(words).contains("-clean")) {
            return "done 0 0";
        }
        String text = Files.readString(report);
        double mebibytes = value(text, "Total MBytes processed:");
        return "done " + mebibytes / value(text, "Throughput mb/sec:") + " " + value(text, "Test exec time sec:");
    }

    private static double value(String report, String label) {
        int begin = report.indexOf(label) + label.length();
        return Double.parseDouble(
                report.substring(begin, report.indexOf('\n', begin)).trim());
    }
}
