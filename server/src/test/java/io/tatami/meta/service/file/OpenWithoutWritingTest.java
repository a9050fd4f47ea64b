package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.op.file.TouchAccessTime;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.LookupRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file is opened though its access time cannot be written, or may not. */
final class OpenWithoutWritingTest {
    private final FileShard shard = new FileShard();
    private long createdMillis;

    @BeforeEach
    void aFileWhoseAccessTimeIsDue() throws Exception {
        createdMillis = shard.create("f", 0).getStatus().getAttributes().getAccessedMillis();
        shard.nowMillis += TouchAccessTime.PRECISION_MILLIS + 1;
    }

    private FileService service() throws Exception {
        return new FileService(shard, new FakeBlockServers(), new FixedClock(shard.nowMillis));
    }

    private static void open(FileService service, FileShard shard) throws Exception {
        var unused = service.call(
                MetaMethods.LOOKUP,
                LookupRequest.newBuilder()
                        .setHandle(shard.handle())
                        .setName("f")
                        .setTouch(true)
                        .build());
    }

    private long accessedMillis() throws Exception {
        return shard.open("f").getAttributes().getAccessedMillis();
    }

    @Test
    void anAccessTimeThatIsDueIsWritten() throws Exception {
        open(service(), shard);
        assertEquals(shard.nowMillis, accessedMillis());
    }

    @Test
    void aFailedWriteOfTheAccessTimeFailsNoOpen() throws Exception {
        FileService service = service();
        service.cannotWrite = true;
        open(service, shard);
        assertEquals(createdMillis, accessedMillis());
    }

    @Test
    void inSafeModeAnOpenWritesNothing() throws Exception {
        FileService service = service();
        service.mayWriteBesideReads = false;
        open(service, shard);
        assertEquals(createdMillis, accessedMillis());
    }
}
