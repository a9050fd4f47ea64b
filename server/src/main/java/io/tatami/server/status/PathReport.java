package io.tatami.server.status;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CheckedBlock;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.HeldLease;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code tatami info} tells of a path.
 *
 * @param status of a file with its blocks
 * @param handle of its directory; null for the root
 * @param checked blocks with the health of their copies, by id; empty for a user who is not the superuser
 * @param lease null where nobody holds it, or the user is not the superuser
 * @param problems what a check of the file found
 * @param staged servers that have blocks on their cache tiers
 * @param checksum of a file; its text says why there is none
 * @param servers by their ids
 */
record PathReport(
        PathStatus status,
        @Nullable Handle handle,
        Map<Long, CheckedBlock> checked,
        @Nullable HeldLease lease,
        List<String> problems,
        Map<BlockId, Set<ServerId>> staged,
        Checksum checksum,
        Map<Integer, BlockServerInfo> servers) {
    /** @param value null where it is not known, for the reason in {@code failure} */
    record Checksum(@Nullable FileChecksum value, String failure) {}

    /** Symlinks on the way are not followed. */
    static PathReport of(TatamiClient client, TatamiPath path) throws TatamiException {
        PathStatus status = client.status(path, false);
        Handle handle = path.isRoot() ? null : client.handle(path);
        Map<Integer, BlockServerInfo> servers = new HashMap<>();
        if (!status.isFile()) {
            Checksum none = new Checksum(null, "");
            return new PathReport(status, handle, Map.of(), null, List.of(), Map.of(), none, servers);
        }
        // A listing of one file is the file with the health of its blocks.
        PathStatus file = client.list(path, true).next();
        client.cluster().map().getBlockServerList().forEach(server -> servers.put(server.getServerId(), server));
        Check check = Check.of(client, path);
        return new PathReport(
                file,
                handle,
                check.blocks,
                check.lease,
                check.problems,
                file.isInline() ? Map.of() : client.stagedCopies(file.blocks()),
                checksum(client, path),
                servers);
    }

    private static Checksum checksum(TatamiClient client, TatamiPath path) {
        try {
            return new Checksum(client.checksum(path, Long.MAX_VALUE), "");
        } catch (TatamiException e) {
            return new Checksum(null, String.valueOf(e.getMessage()));
        }
    }

    /** What the file's home tells to the superuser. */
    private static final class Check implements FsckReport.Listener {
        private final Map<Long, CheckedBlock> blocks = new HashMap<>();
        private final List<String> problems = new ArrayList<>();
        private @Nullable HeldLease lease;

        static Check of(TatamiClient client, TatamiPath path) throws TatamiException {
            Check check = new Check();
            try {
                FsckRequest all = FsckRequest.newBuilder().setListAll(true).build();
                FsckReport unused = client.cluster().fsck(path, all, check);
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.PERMISSION_DENIED) {
                    throw e;
                }
            }
            return check;
        }

        @Override
        public void found(FsckReport.Problem problem) {
            problems.add(problem.finding().getProblem());
        }

        @Override
        public void listed(TatamiPath path, CheckedFile file) {
            file.getBlockList().forEach(block -> blocks.put(block.getBlockId(), block));
            if (file.hasLease()) {
                lease = file.getLease();
            }
        }

        @Override
        public void checked(FsckReport soFar) {}
    }
}
