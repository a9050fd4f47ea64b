package io.tatami.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.hadoop.HdfsCluster;
import io.tatami.hadoop.TatamiCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command of {@code hadoop fs} prints on Tatami what it prints on HDFS, and leaves the same behind. */
class ShellComparisonTest {
    private static final ShellScript SCRIPT = ShellScript.load();

    @TempDir
    private static Path directory = Path.of("");

    private static AutoCloseable hdfsCluster = () -> {};
    private static List<ShellSide> sides = List.of();

    @BeforeAll
    static void connect() throws IOException {
        Configuration configuration = HdfsCluster.configuration();
        configuration.setInt("dfs.replication", 1);
        configuration.set("dfs.blocksize", "1m");
        configuration.setInt(CommonConfigurationKeys.FS_TRASH_INTERVAL_KEY, 60);
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        configuration, directory.resolve("hdfs").toFile())
                .numDataNodes(1)
                .build();
        hdfsCluster = cluster::shutdown;
        LocalFiles files = new LocalFiles(directory.resolve("originals"));
        sides = List.of(
                side(cluster.getConfiguration(0), files, "hdfs-local"),
                side(TatamiCluster.shared().configuration(), files, "tatami-local"));
    }

    private static ShellSide side(Configuration configuration, LocalFiles files, String name) throws IOException {
        configuration.setInt(CommonConfigurationKeys.FS_TRASH_INTERVAL_KEY, 60);
        configuration.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
        FileSystem fs = FileSystem.get(configuration);
        fs.mkdirs(fs.getHomeDirectory());
        return new ShellSide(configuration, files, Files.createDirectories(directory.resolve(name)));
    }

    @AfterAll
    static void disconnect() throws Exception {
        hdfsCluster.close();
    }

    static List<ShellScript.Section> sections() {
        return SCRIPT.sections();
    }

    @ParameterizedTest
    @MethodSource("sections")
    void printsAndLeavesWhatHdfsDoes(ShellScript.Section section) throws Exception {
        List<ShellSide.Result> hdfs = sides.get(0).run(section);
        List<ShellSide.Result> tatami = sides.get(1).run(section);
        StringBuilder differences = new StringBuilder();
        for (int i = 0; i < hdfs.size(); i++) {
            ShellLine line = section.lines().get(i);
            if (!agree(line, hdfs.get(i), tatami.get(i))) {
                differences.append("\n%s\n  HDFS:   %s\n  Tatami: %s".formatted(line, hdfs.get(i), tatami.get(i)));
            }
        }
        assertTrue(differences.isEmpty(), differences::toString);
        assertEquals(sides.get(0).localTree(section), sides.get(1).localTree(section));
    }

    private static boolean agree(ShellLine line, ShellSide.Result hdfs, ShellSide.Result tatami) {
        return line.kind() == ShellLine.Kind.REFUSED
                ? tatami.exitCode() != 0
                        && tatami.errors().contains("TatamiFileSystem doesn't support " + line.command())
                : hdfs.equals(tatami);
    }

    @Test
    void scriptHasEveryCommandOfTheShell() {
        TreeSet<String> missing = new TreeSet<>(new Commands().names());
        SCRIPT.sections()
                .forEach(section -> section.lines()
                        .forEach(line -> missing.remove(line.arguments().get(0))));
        assertTrue(missing.isEmpty(), () -> "shell/commands.txt does not try " + missing);
    }

    /** The shell asked for what it has. */
    private static final class Commands extends FsShell {
        List<String> names() {
            setConf(new Configuration());
            init();
            return List.of(commandFactory.getNames());
        }
    }
}
