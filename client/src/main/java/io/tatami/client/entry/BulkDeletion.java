package io.tatami.client.entry;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCall;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.BulkDeleteFailure;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.OlderRefusal;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Deletes many paths: the files of one shard by one request, and what is not that easy by itself. */
public final class BulkDeletion {
    /** A request ends with the item that reaches this: handles of deep directories have tens of kilobytes. */
    private static final int REQUEST_BYTES_ENOUGH = 1 << 20;

    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final EntryChanges changes;

    public BulkDeletion(MetadataCaller caller, PathResolver resolver, EntryChanges changes) {
        this.caller = caller;
        this.resolver = resolver;
        this.changes = changes;
    }

    /** Part of a request, and the path each of its items stands for. */
    private static final class Batch {
        private final GroupId shard;
        private final BulkDeleteRequest.Builder request = BulkDeleteRequest.newBuilder();
        private final List<TatamiPath> paths = new ArrayList<>();
        private int bytes;

        Batch(GroupId shard) {
            this.shard = shard;
        }

        boolean isFull() {
            return paths.size() == RequestLimits.BULK_DELETE_ITEMS || bytes >= REQUEST_BYTES_ENOUGH;
        }

        void add(TatamiPath path, BulkDeleteRequest.Item item) {
            paths.add(path);
            request.addItem(item);
            bytes += item.getSerializedSize();
        }
    }

    /** @see io.tatami.client.TatamiClient#bulkDelete */
    public List<BulkDeleteFailure> delete(List<TatamiPath> paths) throws TatamiException {
        Deadline deadline = caller.deadline();
        List<BulkDeleteFailure> failures = new ArrayList<>();
        List<TatamiPath> single = new ArrayList<>();
        List<Batch> batches = batches(paths, failures, deadline);
        List<MetadataCall<BulkDeleteRequest, BulkDeleteReply>> calls = new ArrayList<>();
        for (Batch batch : batches) {
            calls.add(caller.start(batch.shard, MetaMethods.BULK_DELETE, batch.request.build(), deadline));
        }
        List<BulkDeleteReply> replies = caller.awaitAll(calls);
        for (int i = 0; i < replies.size(); i++) {
            take(replies.get(i), batches.get(i).paths, failures, single);
        }
        for (TatamiPath path : single) {
            deleteAlone(path, failures);
        }
        return failures;
    }

    private List<Batch> batches(List<TatamiPath> paths, List<BulkDeleteFailure> failures, Deadline deadline)
            throws TatamiException {
        List<Batch> batches = new ArrayList<>();
        Map<GroupId, Batch> filling = new LinkedHashMap<>();
        for (TatamiPath path : paths) {
            try {
                ResolvedDirectory parent = resolver.resolve(path.parent(), path, deadline);
                GroupId shard = parent.shardOf(path.name(), caller.shards());
                Batch batch = filling.get(shard);
                if (batch == null || batch.isFull()) {
                    batch = new Batch(shard);
                    filling.put(shard, batch);
                    batches.add(batch);
                }
                batch.add(
                        path,
                        BulkDeleteRequest.Item.newBuilder()
                                .setHandle(parent.signed())
                                .setName(path.name())
                                .build());
            } catch (TatamiException e) {
                requireAboutPath(e);
                if (e.code() != ErrorCode.NOT_FOUND) {
                    failures.add(new BulkDeleteFailure(path, e));
                }
            }
        }
        return batches;
    }

    /** Sorts results into what is done, what failed, and what needs more than the request could do. */
    private static void take(
            BulkDeleteReply reply, List<TatamiPath> paths, List<BulkDeleteFailure> failures, List<TatamiPath> single) {
        for (int i = 0; i < reply.getResultCount(); i++) {
            BulkDeleteReply.Result result = reply.getResult(i);
            ErrorCode code = result.getError() == 0 ? ErrorCode.NOT_FOUND : ErrorCode.ofNumber(result.getError());
            if (code == ErrorCode.IS_A_DIRECTORY || code.isRetryable()) {
                single.add(paths.get(i));
            } else if (code != ErrorCode.NOT_FOUND) {
                TatamiException reason = result.hasRefusal()
                        ? RefusalFormat.exception(result.getRefusal(), result.getMessage())
                        : OlderRefusal.exception(result.getError(), result.getMessage(), "");
                failures.add(new BulkDeleteFailure(paths.get(i), PathFailures.named(reason, paths.get(i))));
            }
        }
    }

    private void deleteAlone(TatamiPath path, List<BulkDeleteFailure> failures) throws TatamiException {
        try {
            changes.delete(path, false);
        } catch (TatamiException e) {
            requireAboutPath(e);
            failures.add(new BulkDeleteFailure(path, e));
        }
    }

    /** What concerns the service or the caller, and no one path, ends the whole. */
    private static void requireAboutPath(TatamiException failure) throws TatamiException {
        if (failure.code().isRetryable() || failure.code() == ErrorCode.CANCELLED) {
            throw failure;
        }
    }
}
