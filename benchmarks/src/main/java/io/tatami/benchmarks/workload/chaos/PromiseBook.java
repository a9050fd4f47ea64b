package io.tatami.benchmarks.workload.chaos;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The promises made to one writer about the files of its directory, which nobody else changes. A line announces a
 * change, or confirms it afterwards: {@code EVENT ID [PATH|LENGTH]}. Not safe for use by several threads.
 */
final class PromiseBook {
    private final Map<Long, PromisedFile> files = new LinkedHashMap<>();
    private long lastId;

    /** The change that a line announces or confirms. */
    enum Event {
        /** A file is going to be made at a path. */
        BEGIN,
        /** It is there. */
        MADE,
        /** It is going to have up to so many bytes. */
        ATTEMPT,
        /** So many were confirmed. */
        PROMISE,
        /** It is closed, and has exactly so many. */
        CLOSED,
        /** It is going to be opened for appending. */
        REOPEN,
        /** It is going to be renamed to a path. */
        MOVE,
        /** It is at a path, and nowhere else. */
        PLACED,
        /** It is going to be deleted. */
        DROP,
        /** It is not there any more. */
        GONE
    }

    /** @throws IllegalArgumentException where it is no whole line of a journal */
    void apply(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException(line);
        }
        apply(Event.valueOf(words[0]), Long.parseLong(words[1]), words[2]);
    }

    private void apply(Event event, long id, String word) {
        if (event == Event.BEGIN) {
            files.put(id, new PromisedFile(id, word));
            lastId = Math.max(lastId, id);
        } else if (event == Event.GONE) {
            files.remove(id);
        } else {
            change(file(id), event, word);
        }
    }

    private static void change(PromisedFile file, Event event, String word) {
        switch (event) {
            case MADE -> file.mayBeAbsent = false;
            case ATTEMPT -> file.attempted = Long.parseLong(word);
            case PROMISE -> file.promised = Long.parseLong(word);
            case CLOSED -> {
                file.promised = Long.parseLong(word);
                file.attempted = file.promised;
                file.isClosed = true;
            }
            case REOPEN -> file.isClosed = false;
            case MOVE -> file.places.add(word);
            case PLACED -> {
                file.places.clear();
                file.places.add(word);
                file.mayBeAbsent = false;
            }
            case DROP -> file.mayBeAbsent = true;
            default -> throw new IllegalArgumentException(event.name());
        }
    }

    private PromisedFile file(long id) {
        PromisedFile file = files.get(id);
        if (file == null) {
            throw new IllegalArgumentException("no file " + id);
        }
        return file;
    }

    /** The greatest that there ever was; 0 where there was none. */
    long lastId() {
        return lastId;
    }

    Collection<PromisedFile> files() {
        return files.values();
    }

    List<PromisedFile> certain() {
        return files.values().stream().filter(PromisedFile::isCertain).toList();
    }

    List<PromisedFile> uncertain() {
        return files.values().stream().filter(file -> !file.isCertain()).toList();
    }

    long bytes() {
        return files.values().stream().mapToLong(file -> file.attempted).sum();
    }

    /** How a listing of the directory contradicts the book; empty where it does not. */
    List<String> contradictions(Collection<String> listed) {
        List<String> found = new ArrayList<>();
        for (PromisedFile file : files.values()) {
            long there = file.places.stream().filter(listed::contains).count();
            if (there > 1 || (there == 0 && !file.mayBeAbsent)) {
                found.add("file " + file.id + " is listed at " + there + " of " + file.places);
            }
        }
        for (String path : listed) {
            if (files.values().stream().noneMatch(file -> file.places.contains(path))) {
                found.add(path + " is listed, and is no file's");
            }
        }
        return found;
    }
}
