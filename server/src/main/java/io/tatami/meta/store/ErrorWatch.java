package io.tatami.meta.store;

import io.tatami.base.TatamiException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the first failure of a store, also of its background threads, which call in on their own. */
final class ErrorWatch extends AbstractEventListener {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorWatch.class);

    private final Path directory;
    private final AtomicReference<@Nullable TatamiException> failure = new AtomicReference<>();

    ErrorWatch(Path directory) {
        super(EnabledEventCallback.ON_BACKGROUND_ERROR);
        this.directory = directory;
    }

    @Override
    public void onBackgroundError(BackgroundErrorReason reason, Status status) {
        TatamiException error = new TatamiException(
                StoreErrors.codeOf(status),
                "background work (" + reason + ") on the metadata store " + directory + " failed: "
                        + status.getCodeString() + " " + status.getState());
        LOG.error("Metadata store stops", fail(error));
    }

    /** Keeps {@code error} unless there was one before, and returns the one that is kept. */
    TatamiException fail(TatamiException error) {
        TatamiException first = failure.compareAndExchange(null, error);
        return first == null ? error : first;
    }

    @Nullable
    TatamiException failure() {
        return failure.get();
    }
}
