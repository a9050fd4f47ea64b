package io.tatami.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.cli.Options;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.balancer.Balancer;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.hdfs.tools.DFSHAAdmin;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.hdfs.tools.DiskBalancerCLI;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The page for those who know HDFS has a row for every verb of HDFS's own help, and names commands that exist. */
final class FromHdfsTest {
    private static final Path PAGE = Path.of("..", "docs", "from-hdfs.md");
    private static final Pattern VERB_LINE = Pattern.compile("(?m)^\\s+\\[?-([A-Za-z][A-Za-z-]*)");
    private static final Pattern VERB = Pattern.compile("[\\[| ]-([A-Za-z][A-Za-z-]*)");
    private static final Pattern COMMAND = Pattern.compile("`tatami ([^`]+)`");
    private static final Configuration CONFIGURATION = new HdfsConfiguration();

    /** The verbs of the rows below a heading. */
    private static Set<String> rows(String heading) throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf("## " + heading + "\n");
        assertTrue(from >= 0, () -> "there is no section " + heading);
        int to = page.indexOf("\n## ", from + 1);
        Set<String> verbs = new TreeSet<>();
        Matcher row = Pattern.compile("(?m)^\\| `-([A-Za-z-]+)` \\|")
                .matcher(page.substring(from, to < 0 ? page.length() : to));
        while (row.find()) {
            assertTrue(verbs.add(row.group(1)), () -> row.group(1) + " has two rows");
        }
        return verbs;
    }

    /** What a tool of HDFS prints, on both outputs, where it is called without words or with some. */
    private static String printed(Callable<Tool> toolOnOutputs, String... words) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream all = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        PrintStream out = System.out;
        PrintStream err = System.err;
        System.setOut(all);
        System.setErr(all);
        try {
            Tool tool = toolOnOutputs.call();
            tool.setConf(CONFIGURATION);
            int unused = tool.run(words);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Set<String> verbs(Pattern pattern, String usage) {
        Set<String> verbs = pattern.matcher(usage)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(verbs.size() > 5, () -> "the help is not read: " + usage);
        return verbs;
    }

    private static String beforeGenericOptions(String usage) {
        int generic = usage.indexOf("Generic options");
        return generic < 0 ? usage : usage.substring(0, generic);
    }

    @Test
    void everyVerbOfDfsadminHasARow() throws Exception {
        String usage = beforeGenericOptions(printed(DFSAdmin::new));
        assertEquals(verbs(VERB_LINE, usage), rows("hdfs dfsadmin"));
    }

    @Test
    void everyVerbOfFsckHasARow() throws Exception {
        String usage = printed(() -> new DFSck(CONFIGURATION));
        assertEquals(verbs(VERB, usage.lines().findFirst().orElse("")), rows("hdfs fsck"));
    }

    @Test
    void everyVerbOfHaadminHasARow() throws Exception {
        String usage = beforeGenericOptions(printed(DFSHAAdmin::new));
        Set<String> verbs = verbs(VERB_LINE, usage);
        verbs.remove("ns");
        assertEquals(verbs, rows("hdfs haadmin"));
    }

    /** Its command line is not visible outside its package; it prints this text. */
    @Test
    void everyVerbOfTheBalancerHasARow() throws Exception {
        Field usage = Balancer.class.getDeclaredField("USAGE");
        usage.setAccessible(true);
        assertEquals(verbs(VERB_LINE, String.valueOf(usage.get(null))), rows("hdfs balancer"));
    }

    /** The options of each command begin with the one that names it; they are made when a command line is read. */
    @Test
    void everyVerbOfTheDiskbalancerHasARow() throws Exception {
        String unused = printed(() -> new DiskBalancerCLI(CONFIGURATION), "-help");
        Set<String> verbs = Stream.of(
                        DiskBalancerCLI.getPlanOptions(),
                        DiskBalancerCLI.getExecuteOptions(),
                        DiskBalancerCLI.getQueryOptions(),
                        DiskBalancerCLI.getCancelOptions(),
                        DiskBalancerCLI.getReportOptions(),
                        DiskBalancerCLI.getHelpOptions())
                .map(FromHdfsTest::first)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(verbs, rows("hdfs diskbalancer"));
    }

    private static String first(Options options) {
        return options.getOptions().iterator().next().getLongOpt();
    }

    @Test
    void everyCommandOfThePageExists() throws IOException {
        List<String> missing = new ArrayList<>();
        int named = 0;
        Matcher command = COMMAND.matcher(Files.readString(PAGE));
        while (command.find()) {
            named++;
            if (!exists(List.of(command.group(1).split(" ")))) {
                missing.add(command.group());
            }
        }
        assertTrue(named > 30, "the page names " + named + " commands: they are not read");
        assertEquals(List.of(), missing);
    }

    /** Whether the words lead to a command that does something, and its options are known. */
    private static boolean exists(List<String> words) {
        if (words.get(0).equals("COMMAND") || words.get(0).equals("fs")) {
            return true;
        }
        CommandLine at = Tatami.commandLine();
        int next = 0;
        for (String word : words) {
            CommandLine below = at.getSubcommands().get(word);
            if (below == null) {
                break;
            }
            at = below;
            next++;
        }
        Map<String, CommandLine.Model.OptionSpec> options = at.getCommandSpec().optionsMap();
        boolean isGroup = !at.getSubcommands().isEmpty();
        List<String> rest = words.subList(next, words.size());
        return next > 0
                && (!isGroup || rest.equals(List.of("--help")))
                && rest.stream().filter(word -> word.startsWith("-")).allMatch(options::containsKey);
    }
}
