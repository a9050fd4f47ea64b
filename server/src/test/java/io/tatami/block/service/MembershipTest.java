package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a server is, and what it lets shards place on it. */
final class MembershipTest {
    private static final UUID CLUSTER = new UUID(1, 1);

    @TempDir
    Path directory;

    @Test
    void theIdentityIsKeptAndEachStartCounts() throws Exception {
        IdentityFile file = new IdentityFile(directory, CLUSTER);
        assertEquals(new IdentityFile.Identity(ServerId.NONE, 1), file.start());
        file.write(new IdentityFile.Identity(new ServerId(42), 1));
        assertEquals(new IdentityFile.Identity(new ServerId(42), 2), new IdentityFile(directory, CLUSTER).start());
    }

    @Test
    void anotherClustersIdentityAndADamagedOneAreRefused() throws Exception {
        IdentityFile.Identity first = new IdentityFile(directory, CLUSTER).start();
        assertEquals(1, first.starts());
        TatamiException foreign =
                assertThrows(TatamiException.class, () -> new IdentityFile(directory, new UUID(1, 2)).start());
        assertEquals(ErrorCode.WRONG_CLUSTER, foreign.code());
        Path path = directory.resolve(IdentityFile.NAME);
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length - 1] ^= 1;
        Files.write(path, bytes);
        TatamiException damaged =
                assertThrows(TatamiException.class, () -> new IdentityFile(directory, CLUSTER).start());
        assertEquals(ErrorCode.CORRUPT, damaged.code());
    }

    @Test
    void aGiftIsRepeatedUntilItIsAnsweredAndNeverAgain() {
        CreditLine line = new CreditLine(1);
        GiveCreditsRequest first = line.request(7, 64);
        assertEquals(64, first.getBlocks());
        line.failed(0);
        GiveCreditsRequest again = line.request(7, 64);
        assertEquals(first, again);
        line.answered(64, 0);
        GiveCreditsRequest question = line.request(7, 64);
        assertEquals(0, question.getBlocks());
        assertTrue(question.getSequence() > first.getSequence());
        line.answered(31, 0);
        GiveCreditsRequest second = line.request(7, 64);
        assertEquals(33, second.getBlocks());
        assertTrue(new CreditLine(2).request(7, 64).getSequence() > second.getSequence());
    }

    @Test
    void aShardThatUsesCreditsUpFastIsAskedSoon() {
        CreditLine line = new CreditLine(1);
        assertEquals(64, line.request(7, 64).getBlocks());
        line.answered(64, 1000);
        long quiet = 1000 + 2 * CreditLine.ASK_MILLIS_MIN;
        assertTrue(!line.isDue(quiet - 1) && line.isDue(quiet));
        assertEquals(0, line.request(7, 64).getBlocks());
        line.answered(10, quiet);
        assertTrue(line.isDue(quiet + CreditLine.ASK_MILLIS_MIN));
    }

    @Test
    void creditsShrinkWithTheRoomThatIsFree() {
        long block = 256L << 20;
        assertEquals(64, CreditLine.target(1L << 40, block, 8));
        assertEquals(5, CreditLine.target(10L << 30, block, 8));
        assertEquals(1, CreditLine.target(1L << 30, block, 8));
        assertEquals(0, CreditLine.target(1L << 20, block, 8));
    }
}
