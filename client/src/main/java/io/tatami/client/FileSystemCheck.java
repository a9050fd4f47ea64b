package io.tatami.client;

import com.google.protobuf.ByteString;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.meta.MetadataCall;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.FsckReport.Listener;
import io.tatami.client.model.FsckReport.Problem;
import io.tatami.client.model.MessageSums;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One check, from a path down: some directories at a time, each shard a page at a time, and files whose homes are other
 * shards at these. Used by one thread.
 */
final class FileSystemCheck {
    /** Records that a shard looks at for one page: some milliseconds of a reader's time. */
    static final int PAGE_RECORDS = 2_000;

    private final MetadataCaller caller;
    private final EntryReader entries;
    private final FsckRequest listing;
    private final Listener listener;

    /** The deepest last, so that few directories wait however many there are. */
    private final Deque<PathStatus> waiting = new ArrayDeque<>();

    private final FsckReply.Builder counts = FsckReply.newBuilder();
    private long directories;
    private long problems;

    /** @param listing which files are listed */
    FileSystemCheck(MetadataCaller caller, EntryReader entries, FsckRequest listing, Listener listener) {
        this.caller = caller;
        this.entries = entries;
        this.listing = listing.toBuilder().setLimit(PAGE_RECORDS).build();
        this.listener = listener;
    }

    FsckReport run(TatamiPath path) throws TatamiException {
        PathStatus start = entries.status(path, true);
        if (start.isDirectory()) {
            walk(start);
        } else {
            checkFile(start);
        }
        return report();
    }

    private FsckReport report() {
        return new FsckReport(directories, counts.build(), problems, List.of());
    }

    private void walk(PathStatus start) throws TatamiException {
        waiting.add(start);
        Map<Long, TatamiPath> batch = new LinkedHashMap<>();
        while (!waiting.isEmpty()) {
            PathStatus directory = waiting.removeLast();
            directories++;
            batch.put(directory.id(), directory.path());
            DirectoryListing listed = entries.list(directory.path(), false);
            while (listed.hasNext()) {
                PathStatus entry = listed.next();
                if (entry.isDirectory()) {
                    waiting.add(entry);
                }
            }
            if (batch.size() == RequestLimits.DIRECTORIES || waiting.isEmpty()) {
                check(batch);
                batch.clear();
            }
        }
    }

    private void check(Map<Long, TatamiPath> paths) throws TatamiException {
        Map<GroupId, FsckRequest> asked = new LinkedHashMap<>();
        FsckRequest request =
                listing.toBuilder().addAllDirectoryId(paths.keySet()).build();
        for (int shard = 0; shard < caller.shards(); shard++) {
            asked.put(GroupId.ofShard(shard), request);
        }
        while (!asked.isEmpty()) {
            Map<GroupId, FsckRequest.Builder> elsewhere = new LinkedHashMap<>();
            for (FsckReply page : nextPages(asked)) {
                add(page, paths);
                for (long id : page.getElsewhereFileIdList()) {
                    FileId file = new FileId(id);
                    FsckRequest.Builder files = elsewhere.computeIfAbsent(file.home(), home -> listing.toBuilder());
                    files.addFileId(file.value());
                    if (files.getFileIdCount() == RequestLimits.DIRECTORIES) {
                        checkFiles(Map.of(file.home(), files.build()), paths);
                        files.clearFileId();
                    }
                }
            }
            Map<GroupId, FsckRequest> homes = new LinkedHashMap<>();
            elsewhere.forEach((home, files) -> {
                if (files.getFileIdCount() > 0) {
                    homes.put(home, files.build());
                }
            });
            checkFiles(homes, paths);
            listener.checked(report());
        }
    }

    private void checkFiles(Map<GroupId, FsckRequest> homes, Map<Long, TatamiPath> paths) throws TatamiException {
        Map<GroupId, FsckRequest> asked = new LinkedHashMap<>(homes);
        while (!asked.isEmpty()) {
            for (FsckReply page : nextPages(asked)) {
                add(page, paths);
            }
        }
    }

    /** Asks each group for its next page; afterwards those are left that have more. */
    private List<FsckReply> nextPages(Map<GroupId, FsckRequest> asked) throws TatamiException {
        List<GroupId> groups = List.copyOf(asked.keySet());
        List<MetadataCall<FsckRequest, FsckReply>> calls = new ArrayList<>();
        for (Map.Entry<GroupId, FsckRequest> each : asked.entrySet()) {
            calls.add(caller.start(each.getKey(), MetaMethods.FSCK, each.getValue(), caller.deadline()));
        }
        List<FsckReply> pages = caller.awaitAll(calls);
        for (int i = 0; i < pages.size(); i++) {
            ByteString cursor = pages.get(i).getCursor();
            if (cursor.isEmpty()) {
                asked.remove(groups.get(i));
            } else {
                asked.computeIfPresent(
                        groups.get(i),
                        (group, request) ->
                                request.toBuilder().setCursor(cursor).build());
            }
        }
        return pages;
    }

    private void add(FsckReply page, Map<Long, TatamiPath> paths) throws TatamiException {
        MessageSums.add(counts, page);
        problems += page.getFindingCount();
        for (Finding finding : page.getFindingList()) {
            listener.found(new Problem(path(finding.getDirectoryId(), finding.getName(), paths), finding));
        }
        for (CheckedFile file : page.getFileList()) {
            listener.listed(path(file.getDirectoryId(), file.getName(), paths), file);
        }
    }

    private static TatamiPath path(long directory, String name, Map<Long, TatamiPath> paths) throws TatamiException {
        TatamiPath parent = paths.getOrDefault(directory, TatamiPath.ROOT);
        return name.isEmpty() ? parent : parent.listedChild(name);
    }

    /** At its home alone. */
    private void checkFile(PathStatus file) throws TatamiException {
        FileId id = new FileId(file.id());
        TatamiPath parent = file.path().parent();
        Map<Long, TatamiPath> paths = Map.of(entries.status(parent, true).id(), parent);
        FsckRequest request = listing.toBuilder().addFileId(id.value()).build();
        checkFiles(Map.of(id.home(), request), paths);
        counts.setFiles(1).setBytes(file.lengthBytes()).setOpenFiles(file.isOpen() ? 1 : 0);
        listener.checked(report());
    }
}
