package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.BulkDeleteFailure;
import io.tatami.client.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Deletes many paths: the files of one shard by one request, and what is not that easy by itself. */
public final class BulkDeletion {
    private static final int ITEMS_OF_A_REQUEST_MAX = 1_000;

    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final EntryChanges changes;

    public BulkDeletion(MetadataCaller caller, PathResolver resolver, EntryChanges changes) {
        this.caller = caller;
        this.resolver = resolver;
        this.changes = changes;
    }

    /** Part of a request, and the path each of its items stands for. */
    private record Batch(GroupId shard, BulkDeleteRequest.Builder request, List<TatamiPath> paths) {}

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
                if (batch == null || batch.paths.size() == ITEMS_OF_A_REQUEST_MAX) {
                    batch = new Batch(shard, BulkDeleteRequest.newBuilder(), new ArrayList<>());
                    filling.put(shard, batch);
                    batches.add(batch);
                }
                batch.paths.add(path);
                batch.request.addItem(BulkDeleteRequest.Item.newBuilder()
                        .setHandle(parent.signed())
                        .setName(path.name()));
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
                TatamiException reason = new TatamiException(code, result.getMessage());
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
