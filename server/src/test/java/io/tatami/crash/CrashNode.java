package io.tatami.crash;

import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.server.node.StandaloneNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The child process of the crash tests: a standalone node that halts at a crash point when it is told to. Arguments:
 * the node's directory, its volume or {@code -} for one in the directory. It says {@code serving AUTHORITY}, and then
 * takes a command a line from its standard input: {@code arm NAME n}, {@code counts}, {@code stop}.
 */
public final class CrashNode {
    static final String SERVING = "serving ";
    static final String ARMED = "armed";
    static final String COUNT = "count ";
    static final String END = "end";

    private static final long CAPACITY_BYTES = 96L << 20;
    private static final int SHARDS = 4;

    private static final Map<String, LongAdder> COUNTS = new ConcurrentSkipListMap<>();
    private static volatile @Nullable Trap trap;

    /** Where this process halts, and after how many more passes. */
    private record Trap(String point, LongAdder passed, long nth) {}

    private CrashNode() {}

    public static void main(String[] arguments) throws Exception {
        if (System.getProperty(CrashPoint.PROPERTY) == null) {
            CrashPoint.listen(CrashNode::pass);
        }
        List<Path> volumes = arguments[1].equals("-") ? List.of() : List.of(Path.of(arguments[1]));
        StandaloneNode.Setup setup =
                new StandaloneNode.Setup(Path.of(arguments[0]), volumes, CAPACITY_BYTES, "localhost", 0, SHARDS);
        try (StandaloneNode node = StandaloneNode.open(setup, new Settings(System::getProperty), user -> List.of());
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say(SERVING + node.uri().substring("tatami://".length()));
            serve(commands);
        }
    }

    /** Returns when told to stop, and when who started this process is gone. */
    private static void serve(BufferedReader commands) throws Exception {
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "arm" -> {
                    trap = new Trap(words[1], new LongAdder(), Long.parseLong(words[2]));
                    say(ARMED);
                }
                case "counts" -> {
                    COUNTS.forEach((point, count) -> say(COUNT + point + " " + count));
                    say(END);
                }
                case "stop" -> {
                    return;
                }
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    private static void pass(String point) {
        COUNTS.computeIfAbsent(point, unknown -> new LongAdder()).increment();
        Trap set = trap;
        if (set != null && set.point().equals(point)) {
            set.passed().increment();
            if (set.passed().sum() >= set.nth()) {
                Runtime.getRuntime().halt(CrashPoint.EXIT_CODE);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
