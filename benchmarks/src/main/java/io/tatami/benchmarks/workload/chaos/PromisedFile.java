package io.tatami.benchmarks.workload.chaos;

import java.util.List;
import java.util.TreeSet;

/** What one file must be, as far as its writer was told, and what it may be where the writer was told nothing. */
final class PromisedFile {
    /** Of its content. */
    final long id;

    /** Bytes that an hflush, hsync or close confirmed. */
    long promised;

    /** Bytes that were written at most. */
    long attempted;

    /** Whether it has exactly what is promised. */
    boolean isClosed;

    /** Whether a create or a delete was begun and not answered. */
    boolean mayBeAbsent = true;

    /** One, or two after a rename that was not answered. */
    final TreeSet<String> places = new TreeSet<>();

    PromisedFile(long id, String place) {
        this.id = id;
        places.add(place);
    }

    /** Whether its writer knows all that there is to know. */
    boolean isCertain() {
        return isClosed && isThere();
    }

    /** Whether it is at one place for certain. */
    boolean isThere() {
        return !mayBeAbsent && places.size() == 1;
    }

    /** The only place. */
    String place() {
        return places.first();
    }

    List<String> allPlaces() {
        return List.copyOf(places);
    }
}
