package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.IdentityFile.Identity;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which processes a block server's disk shows. */
final class IdentityFileTest {
    private static final UUID CLUSTER = new UUID(3, 3);
    private static final ServerId SERVER = new ServerId(5);

    @TempDir
    private Path directory;

    private final AtomicLong drawn = new AtomicLong();

    private IdentityFile file() {
        return new IdentityFile(directory, CLUSTER, () -> drawn.addAndGet(2));
    }

    @Test
    void aFileFromBeforeIncarnationsOpensAndGetsThem() throws Exception {
        ByteBuffer first = ByteBuffer.allocate(12).putInt(5).putLong(9);
        DurableFile.replace(
                directory.resolve(IdentityFile.NAME), Envelope.wrap(Envelope.Kind.IDENTITY, 1, CLUSTER, first.array()));
        Identity started = file().start();
        assertEquals(SERVER, started.server());
        assertEquals(10, started.starts());
        assertEquals(0, started.confirmed());
        assertEquals(List.of(), started.former());
        assertEquals(3, started.incarnation());
    }

    @Test
    void startsThatLearnNothingAreAllShownAndDrawNoMoreThanCanBe() throws Exception {
        file().write(file().start().confirmedAs(SERVER));
        long confirmed = file().start().confirmed();
        Identity last = Identity.notStarted(SERVER);
        for (int i = 0; i < 2 * IdentityFile.INCARNATIONS_MAX; i++) {
            last = file().start();
            assertEquals(confirmed, last.confirmed());
            assertTrue(last.former().contains(confirmed), "the one that the namespace knows is shown");
        }
        assertEquals(IdentityFile.INCARNATIONS_MAX, last.incarnations().size());
        assertEquals(last, new Identity(SERVER, last.starts(), confirmed, last.incarnations()));
        assertEquals(last.incarnation(), file().start().incarnation());
        file().write(last.confirmedAs(SERVER));
        assertTrue(file().start().incarnation() > last.incarnation());
    }

    @Test
    void confirmedStartsDropTheOldest() throws Exception {
        for (int i = 0; i < 3 * IdentityFile.INCARNATIONS_MAX; i++) {
            file().write(file().start().confirmedAs(SERVER));
        }
        Identity now = file().start();
        assertEquals(IdentityFile.INCARNATIONS_MAX, now.incarnations().size());
        assertEquals(now.confirmed(), now.former().get(now.former().size() - 1));
    }

    @Test
    void aFileWithAnotherCountThanItHoldsIsCorrupt() throws Exception {
        for (int count : new int[] {-1, 1, IdentityFile.INCARNATIONS_MAX + 1, Integer.MAX_VALUE}) {
            ByteBuffer wrong =
                    ByteBuffer.allocate(24).putInt(5).putLong(9).putLong(0).putInt(count);
            DurableFile.replace(
                    directory.resolve(IdentityFile.NAME),
                    Envelope.wrap(Envelope.Kind.IDENTITY, 2, CLUSTER, wrong.array()));
            TatamiException refused = assertThrows(TatamiException.class, () -> file().start());
            assertEquals(ErrorCode.CORRUPT, refused.code());
        }
    }
}
