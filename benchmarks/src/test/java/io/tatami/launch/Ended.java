package io.tatami.launch;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What a command left behind that ran in this JVM, as {@code bin/tatami} runs it. */
record Ended(int code, String out, String err) {
    static Ended of(String... words) {
        CommandLine commandLine = Tatami.commandLine(words);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return new Ended(commandLine.execute(words), out.toString(), err.toString());
    }
}
