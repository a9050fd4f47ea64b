package io.tatami.client.entry;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Changes of files that are there, asked of the shards that own their names: they are opened for writing, cut, joined,
 * and taken from their writers. Safe for use by many threads.
 */
public final class FileChanges {
    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final BlockServers servers;

    public FileChanges(MetadataCaller caller, PathResolver resolver, BlockServers servers) {
        this.caller = caller;
        this.resolver = resolver;
        this.servers = servers;
    }

    /** @see io.tatami.client.TatamiClient#append */
    public AppendReply append(TatamiPath path, boolean newBlock) throws TatamiException {
        requireName(path);
        Deadline deadline = caller.deadline();
        AppendRequest.Builder request = AppendRequest.newBuilder()
                .setName(path.name())
                .setClientHost(servers.clientHost())
                .setNewBlock(newBlock);
        return call(
                path,
                deadline,
                MetaMethods.APPEND,
                handle -> request.setHandle(handle).build());
    }

    /** @see io.tatami.client.TatamiClient#truncate */
    public boolean truncate(TatamiPath path, long lengthBytes) throws TatamiException {
        Deadline deadline = caller.deadline();
        requireName(path);
        TruncateRequest.Builder request =
                TruncateRequest.newBuilder().setName(path.name()).setLength(lengthBytes);
        return call(
                        path,
                        deadline,
                        MetaMethods.TRUNCATE,
                        handle -> request.setHandle(handle).build())
                .getDone();
    }

    /** @see io.tatami.client.TatamiClient#concat */
    public void concat(TatamiPath target, List<TatamiPath> sources) throws TatamiException {
        requireName(target);
        Set<TatamiPath> seen = new HashSet<>(Set.of(target));
        for (TatamiPath source : sources) {
            if (!source.parent().equals(target.parent()) || !seen.add(source)) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "concat: source file " + source + " must be another file in the directory of " + target);
            }
        }
        if (sources.isEmpty()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "concat: no sources given");
        }
        if (sources.size() > RequestLimits.CONCAT_SOURCES) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "concat: " + sources.size() + " source files; one call joins at most "
                            + RequestLimits.CONCAT_SOURCES + ", so use several calls");
        }
        Deadline deadline = caller.deadline();
        ConcatRequest.Builder request = ConcatRequest.newBuilder()
                .setName(target.name())
                .addAllSource(sources.stream().map(TatamiPath::name).toList());
        call(
                target,
                deadline,
                MetaMethods.CONCAT,
                handle -> request.setHandle(handle).build());
    }

    /** @see io.tatami.client.TatamiClient#recoverLease */
    public boolean recoverLease(TatamiPath path) throws TatamiException {
        Deadline deadline = caller.deadline();
        requireName(path);
        RecoverLeaseRequest.Builder request = RecoverLeaseRequest.newBuilder().setName(path.name());
        return call(
                        path,
                        deadline,
                        MetaMethods.RECOVER_LEASE,
                        handle -> request.setHandle(handle).build())
                .getClosed();
    }

    /** @param request makes the request for a handle of the parent; once more if a shard refuses that handle */
    private <Q extends Message, R extends Message> R call(
            TatamiPath path, Deadline deadline, Method<Q, R> method, Function<SignedHandle, Q> request)
            throws TatamiException {
        return resolver.inParent(
                path,
                deadline,
                parent -> caller.call(
                        parent.shardOf(path.name(), caller.shards()),
                        method,
                        request.apply(parent.signed()),
                        deadline));
    }

    private static void requireName(TatamiPath path) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: /");
        }
    }
}
