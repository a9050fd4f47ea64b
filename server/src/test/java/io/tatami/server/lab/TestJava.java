package io.tatami.server.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Programs of these tests in a Java of their own, with the class path of the test. */
final class TestJava {
    private TestJava() {}

    static List<String> command(Class<?> main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:MaxDirectMemorySize=128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    /** What a command on a node printed last; fails with all of it where the command does. */
    static String lastLine(Lab lab, String node, List<String> command) throws IOException, InterruptedException {
        Process process =
                lab.command(lab.node(node), command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed: " + output);
        }
        return output.substring(output.lastIndexOf('\n') + 1);
    }
}
