package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.Check;
import io.tatami.client.model.PathStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a file consists of at one moment: bytes stored in its entry, or blocks one behind the other. Does not change.
 *
 * @param inline null where the content is in blocks
 */
record FileContent(PathStatus status, @Nullable ByteString inline, List<BlockExtent> blocks, long lengthBytes) {
    static FileContent inline(PathStatus status, ByteString bytes) {
        return new FileContent(status, bytes, List.of(), bytes.size());
    }

    static FileContent of(PathStatus status, List<BlockExtent> blocks) {
        long length = blocks.isEmpty() ? 0 : blocks.get(blocks.size() - 1).endBytes();
        return new FileContent(status, null, List.copyOf(blocks), length);
    }

    /** The block with the byte at {@code position}, which is below the length. */
    BlockExtent blockAt(long position) {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (blocks.get(middle).endBytes() <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        BlockExtent found = blocks.get(low);
        Check.check(found.contains(position), "%s does not hold position %d", found, position);
        return found;
    }
}
