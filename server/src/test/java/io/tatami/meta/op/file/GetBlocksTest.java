package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.Status;
import org.junit.jupiter.api.Test;

final class GetBlocksTest {
    private final FileShard shard = new FileShard();
    private final GetBlocks blocks = GetBlocks.provenBy(shard.signer.rights());

    private GetBlocksRequest shown(FileId file, ByteString right) {
        return GetBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setRight(right)
                .build();
    }

    private Status seen(FileId file, Sight sight) throws Exception {
        ByteString right = shard.signer.rights().ofFile(shard.caller, file, sight, shard.nowMillis);
        return shard.run(blocks, shown(file, right)).getStatus();
    }

    @Test
    void aRightShowsAsMuchAsItSays() throws Exception {
        FileId large = shard.written("large", 1_000, 500);
        assertEquals(1_500, seen(large, Sight.LENGTH).getLength());
        assertEquals(0, seen(large, Sight.LENGTH).getBlockCount());
        assertEquals(2, seen(large, Sight.LOCATIONS).getBlockCount());
        FileId small = shard.inline("small", "hello");
        assertEquals(5, seen(small, Sight.LOCATIONS).getLength());
        assertFalse(seen(small, Sight.LOCATIONS).hasInline());
        assertTrue(seen(small, Sight.LOCATIONS).getIsInline());
        assertEquals("hello", seen(small, Sight.CONTENT).getInline().toStringUtf8());
    }

    @Test
    void withoutARightToThisFileNothingIsTold() throws Exception {
        FileId file = shard.inline("f", "hello");
        FileId other = shard.inline("other", "hello");
        assertEquals(ErrorCode.STALE_HANDLE, shard.refusal(blocks, shown(file, ByteString.EMPTY)));
        ByteString right = shard.signer.rights().ofFile(shard.caller, other, Sight.CONTENT, shard.nowMillis);
        assertEquals(ErrorCode.STALE_HANDLE, shard.refusal(blocks, shown(file, right)));
    }
}
