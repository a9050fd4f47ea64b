package io.tatami.server.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.ProcessMark;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A lab without root's means, which everybody can make: real processes on addresses of the loopback interface. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LoopbackLabTest {
    private Path temporary;
    private Path directory;
    private Lab lab;

    @BeforeAll
    void up(@TempDir Path made) throws Exception {
        temporary = made;
        directory = made.resolve("lab");
        lab = Lab.up(LabSpec.of(directory, new LabSpec.Shape(2, 2, 1, 2), 512L << 20)
                .onLoopback()
                .withJavaOptions(List.of("-XX:TieredStopAtLevel=1")));
    }

    @AfterAll
    void down() throws Exception {
        Lab.remove(directory);
        assertEquals(List.of(), Lab.leftovers(directory));
        Lab.remove(directory);
    }

    private static ProcessMark.State block(Lab lab, LabNode node) throws Exception {
        return lab.report(node).server(LabRole.BLOCK).state();
    }

    /** Also after both servers of the node that has the copy were killed and started by another command. */
    @Test
    void nodesCountAsDifferentHostsAndKilledServersServeAgain() throws Exception {
        assertEquals(
                "wrote to [node1] shared false",
                TestJava.lastLine(lab, "node1", LabClient.command("write", "/of-node1")));
        LabNode node = lab.node("node1");
        lab.kill(node, List.of(LabRole.METADATA, LabRole.BLOCK));
        assertEquals(ProcessMark.State.GONE, block(lab, node));
        assertEquals(
                ProcessMark.State.GONE,
                lab.report(node).server(LabRole.METADATA).state());
        assertEquals(ProcessMark.State.RUNNING, block(lab, lab.node("node2")));

        Lab.open(directory).start(node, List.of(LabRole.METADATA, LabRole.BLOCK));
        assertEquals(ProcessMark.State.RUNNING, block(lab, node));
        assertEquals(
                "read the same from [node1] here false elsewhere true shared false",
                TestJava.lastLine(lab, "node2", LabClient.command("read", "/of-node1")));
        assertEquals(
                "read the same from [node1] here true elsewhere false shared false",
                TestJava.lastLine(lab, "node1", LabClient.command("read", "/of-node1")));
    }

    @Test
    void aPausedServerStandsStillUntilItIsResumed() throws Exception {
        LabNode node = lab.node("node2");
        lab.pause(node, List.of(LabRole.BLOCK));
        awaitState(node, ProcessMark.State.PAUSED);
        assertTrue(status().contains("paused"));
        lab.resume(node, List.of(LabRole.BLOCK));
        awaitState(node, ProcessMark.State.RUNNING);
    }

    /** A signal may arrive some moments later. */
    private void awaitState(LabNode node, ProcessMark.State state) throws Exception {
        while (block(lab, node) != state) {
            assertNotEquals(ProcessMark.State.GONE, block(lab, node));
            Thread.sleep(10);
        }
    }

    private String status() {
        StringWriter out = new StringWriter();
        CommandLine command =
                TatamiServer.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertEquals(ExitCode.DONE, command.execute("lab", "status", "--dir", directory.toString()), out::toString);
        return out.toString();
    }

    @Test
    void theTopologyTableHasTheRackOfEveryNameAndAddress() throws Exception {
        assertEquals(
                List.of("node1 /rack0", "127.0.0.11 /rack0", "node2 /rack1", "127.0.0.12 /rack1"),
                Files.readAllLines(directory.resolve("topology.table")));
    }

    @Test
    void whatNeedsRootIsRefused() {
        LabNode node = lab.nodes().get(0);
        assertRefused(ErrorCode.UNSUPPORTED, "needs root", () -> lab.cut(node, lab.nodes(), Lab.Direction.BOTH));
        assertRefused(ErrorCode.UNSUPPORTED, "needs root", () -> lab.slow(node, LinkRate.parse("1mbit")));
        assertRefused(ErrorCode.UNSUPPORTED, "needs root", () -> lab.fail(node));
        assertRefused(ErrorCode.UNSUPPORTED, "needs root", () -> lab.slow(node, DiskRate.parse("5MB")));
        LabSpec spec = lab.spec();
        assertRefused(ErrorCode.UNSUPPORTED, "as root", () -> spec.withHdfs().check());
        assertRefused(
                ErrorCode.UNSUPPORTED,
                "as root",
                () -> spec.withLimits(LinkRate.parse("1gbit"), DiskRate.UNLIMITED)
                        .check());
    }

    @Test
    void aVolumeInUseIsNotWiped() {
        assertRefused(ErrorCode.IN_USE, "kill it first", () -> lab.wipe(lab.node("node2")));
    }

    @Test
    void aSecondLabInTheSameDirectoryIsRefused() {
        assertRefused(ErrorCode.ALREADY_EXISTS, "tatami lab down", () -> Lab.up(lab.spec()));
    }

    @Test
    void aDirectoryWithOtherThingsIsRefusedAndStays() throws Exception {
        Path other = Files.createDirectory(temporary.resolve("other"));
        Path file = Files.writeString(other.resolve("file"), "mine");
        LabSpec spec = LabSpec.of(other, lab.spec().shape(), 512L << 20).onLoopback();
        assertRefused(ErrorCode.ALREADY_EXISTS, "is not empty", () -> Lab.up(spec));
        Lab.remove(other);
        assertEquals("mine", Files.readString(file));
    }

    @Test
    void aLabWhoseFileCannotBeReadIsTakenAwayAllTheSame() throws Exception {
        Path damaged = Files.createDirectory(temporary.resolve("damaged"));
        Files.writeString(damaged.resolve("lab.properties"), "nodes=two");
        assertRefused(ErrorCode.CORRUPT, "tatami lab down", () -> Lab.open(damaged));
        Lab.remove(damaged);
        assertEquals(List.of(), Lab.leftovers(damaged));
    }

    @Test
    void downTakesAwayWhatAKilledUpHasLeft() throws Exception {
        KilledUp.assertGoneAfterDown(temporary.resolve("killed"), "process", "--loopback");
    }

    private interface Refused {
        void run() throws Exception;
    }

    private static void assertRefused(ErrorCode code, String word, Refused step) {
        TatamiException refusal = assertThrows(TatamiException.class, step::run);
        assertEquals(code, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal::getMessage);
    }
}
