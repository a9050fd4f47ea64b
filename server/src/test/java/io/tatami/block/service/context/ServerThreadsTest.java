package io.tatami.block.service.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.BlockRig;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The threads of a volume that is taken out of the server. */
final class ServerThreadsTest {
    private static final long LIMIT_MILLIS = 60_000;

    private SimVolume disk;
    private Volume volume;
    private ServerThreads threads;

    @BeforeEach
    void begin() throws Exception {
        disk = new SimVolume(8L << 20, 1);
        volume = disk.volume();
        threads = new ServerThreads(BlockRig.settings(), List.of(volume));
    }

    @AfterEach
    void close() throws Exception {
        threads.close(false);
        disk.close();
    }

    @Test
    void thoseOfAVolumeEndOnceTheirCommandsAreDone() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        threads.command(volume, done::countDown);

        assertTrue(threads.awaitEnd(volume, LIMIT_MILLIS), "they end only with the server");

        assertEquals(0, done.getCount());
        assertEquals(ErrorCode.UNAVAILABLE, refusal());
    }

    @Test
    void whoComesLateIsToldThatTheVolumeWasTakenOut() throws Exception {
        threads.remove(volume);

        assertEquals(ErrorCode.UNAVAILABLE, refusal());
        TatamiException refused = assertThrows(TatamiException.class, () -> threads.readers(volume));
        assertEquals(ErrorCode.UNAVAILABLE, refused.code());
        assertTrue(threads.awaitEnd(volume, 0));
    }

    private ErrorCode refusal() {
        return assertThrows(TatamiException.class, () -> threads.command(volume, () -> {}))
                .code();
    }
}
