package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.workload.chaos.PromiseBook.Event;
import java.io.IOException;
import java.util.Optional;

/** Makes a file certain again whose writer was not answered, or is gone. */
final class Settlement {
    private Settlement() {}

    /** Whether that was possible now: the recovery of a lease may take longer. */
    static boolean settle(PromisedFile file, FileChecks checks, PromiseJournal journal) throws IOException {
        Optional<String> place = checks.find(file);
        if (place.isEmpty()) {
            journal.write(Event.GONE, file);
            return true;
        }
        journal.write(Event.PLACED, file, place.get());
        if (file.isClosed) {
            return true;
        }
        Optional<Long> length = checks.recover(place.get());
        if (length.isPresent()) {
            checks.checkLength(file, length.get());
            journal.write(Event.CLOSED, file, length.get());
        }
        return length.isPresent();
    }
}
