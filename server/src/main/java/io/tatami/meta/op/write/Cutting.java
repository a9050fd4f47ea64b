package io.tatami.meta.op.write;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;

/** What truncate has in common with itself from another shard. */
final class Cutting {
    private Cutting() {}

    /**
     * Cuts a closed file. Blocks beyond the new end go at once; where the end falls inside a block, readers see the new
     * length at once, too, while the file stays closed to writers until the block's servers have cut it.
     *
     * @return whether the cut is done
     * @throws TatamiException INVALID_ARGUMENT for a length that is negative or above the file's
     */
    static boolean cut(ShardState state, HomedFile file, long lengthBytes, long nowMillis)
            throws TatamiException, UnsettledException {
        HomeRecord.Builder home = file.home();
        if (lengthBytes < 0 || lengthBytes > home.getLength()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Cannot truncate to a larger file size. Current size: " + home.getLength() + ", truncate size: "
                            + lengthBytes + ".");
        }
        if (lengthBytes == home.getLength()) {
            return true;
        }
        ByteString inline = file.inline();
        if (inline != null) {
            file.setInline(lengthBytes == 0 ? null : inline.substring(0, (int) lengthBytes));
            home.setLength(lengthBytes);
            file.publish(nowMillis);
            return true;
        }
        return cutBlocks(state, file, lengthBytes, nowMillis);
    }

    private static boolean cutBlocks(ShardState state, HomedFile file, long lengthBytes, long nowMillis)
            throws UnsettledException {
        HomeRecord.Builder home = file.home();
        long end = home.getLength();
        while (home.getBlocks() > 0) {
            long start = end - file.requireBlock(home.getBlocks() - 1).getLength();
            if (start < lengthBytes) {
                break;
            }
            file.dropLastBlock();
            end = start;
        }
        home.setLength(lengthBytes);
        if (end > lengthBytes) {
            int index = home.getBlocks() - 1;
            BlockRecord block = file.requireBlock(index);
            BlockRecord.Builder cut = block.toBuilder()
                    .setOpen(true)
                    .setLength(block.getLength() - (end - lengthBytes))
                    .setIssuedGeneration(block.getIssuedGeneration() + 1);
            file.voidIntents(cut);
            file.changeBlock(index, cut.build());
            home.setState(HomeRecord.State.TRUNCATING).setTruncateLength(lengthBytes);
            state.putLease(SessionId.NONE, file.id(), LeaseRecord.getDefaultInstance());
        }
        file.publish(nowMillis);
        return end == lengthBytes;
    }
}
