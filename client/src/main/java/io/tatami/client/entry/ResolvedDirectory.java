package io.tatami.client.entry;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.SignedHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory as it was resolved once.
 *
 * @param signed goes with every request in the directory
 */
record ResolvedDirectory(TatamiPath path, SignedHandle signed, DirectoryId id, int spread, Attributes attributes) {
    static ResolvedDirectory of(TatamiPath path, SignedHandle signed) throws TatamiException {
        Handle handle = parse(path, signed);
        return new ResolvedDirectory(
                path,
                signed,
                new DirectoryId(handle.getDirectoryId()),
                Math.max(1, handle.getSpread()),
                handle.getAttributes());
    }

    /** What was signed. */
    Handle handle() throws TatamiException {
        return parse(path, signed);
    }

    private static Handle parse(TatamiPath path, SignedHandle signed) throws TatamiException {
        try {
            return Handle.parseFrom(signed.getPayload());
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "the handle of " + path + " cannot be parsed", e);
        }
    }

    /** What shows the shards that the directory can be reached; still without ids. */
    ReadSharesRequest shown() {
        return ReadSharesRequest.newBuilder().setHandle(signed).build();
    }

    /** The shard that owns {@code name} here. */
    GroupId shardOf(String name, int shards) {
        return Placement.shardOf(id, name, spread, shards);
    }

    /** The shards that hold the entries. */
    List<GroupId> shards(int shards) {
        return shardsOf(id, spread, shards);
    }

    static List<GroupId> shardsOf(DirectoryId id, int spread, int shards) {
        int first = Placement.firstShardOf(id, shards);
        List<GroupId> groups = new ArrayList<>(spread);
        for (int i = 0; i < spread; i++) {
            groups.add(GroupId.ofShard((first + i) % shards));
        }
        return groups;
    }
}
