package io.tatami.hadoop;

import io.tatami.client.model.BulkDeleteFailure;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.convert.PathConverter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.BulkDeleteUtils;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;

/** Deletes a page of files in one round trip to each shard concerned. */
final class TatamiBulkDelete implements BulkDelete {
    static final int PAGE_SIZE = 1_000;

    private final TatamiCalls calls;
    private final Path base;

    TatamiBulkDelete(TatamiCalls calls, Path base) {
        this.calls = calls;
        this.base = base;
    }

    @Override
    public int pageSize() {
        return PAGE_SIZE;
    }

    @Override
    public Path basePath() {
        return base;
    }

    @Override
    public List<Map.Entry<Path, String>> bulkDelete(Collection<Path> paths) throws IOException {
        BulkDeleteUtils.validateBulkDeletePaths(paths, PAGE_SIZE, base);
        List<TatamiPath> targets = new ArrayList<>(paths.size());
        for (Path path : paths) {
            targets.add(PathConverter.path(path));
        }
        // What lies in a directory goes before it.
        targets.sort(Comparator.comparingInt(TatamiPath::depth).reversed());
        List<BulkDeleteFailure> failures =
                TatamiCalls.translated(() -> calls.client().bulkDelete(targets));
        List<Map.Entry<Path, String>> told = new ArrayList<>(failures.size());
        for (BulkDeleteFailure failure : failures) {
            Path path = new Path(failure.path().toString()).makeQualified(base.toUri(), null);
            told.add(Map.entry(path, failure.reason().getMessage()));
        }
        return told;
    }

    @Override
    public IOStatistics getIOStatistics() {
        return IOStatisticsBinding.emptyStatistics();
    }

    @Override
    public void close() {}
}
