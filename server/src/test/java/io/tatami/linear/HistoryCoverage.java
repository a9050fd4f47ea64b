package io.tatami.linear;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a thousand histories must have had in them, for that none is a violation to say something. */
final class HistoryCoverage {
    private static final List<String> OUTCOMES = List.of(
            "mkdir true, mkdir false, mkdir NOT_FOUND, mkdir unknown",
            "mkdirs true, mkdirs false, mkdirs ALREADY_EXISTS, mkdirs NOT_A_DIRECTORY, mkdirs unknown",
            "create ok, create ALREADY_EXISTS, create LEASE_HELD, create NOT_FOUND, create NOT_A_DIRECTORY, create"
                    + " unknown",
            "overwrite ok, overwrite ALREADY_EXISTS, overwrite NOT_FOUND, overwrite NOT_A_DIRECTORY, overwrite unknown",
            "close ok, close LEASE_EXPIRED, close unknown",
            "rename ok, rename NOT_FOUND, rename ALREADY_EXISTS, rename NOT_A_DIRECTORY, rename INVALID_ARGUMENT",
            "rename IS_A_DIRECTORY, rename unknown",
            "replace ok, replace NOT_FOUND, replace ALREADY_EXISTS, replace NOT_EMPTY, replace INVALID_ARGUMENT",
            "replace IS_A_DIRECTORY, replace unknown",
            "delete true, delete false, delete NOT_EMPTY, delete NOT_A_DIRECTORY, delete unknown",
            "delete_all true, delete_all false, delete_all NOT_A_DIRECTORY, delete_all unknown",
            "status seen, status NOT_FOUND, status NOT_A_DIRECTORY, status unknown",
            "list seen, list NOT_FOUND, list NOT_A_DIRECTORY, list unknown");

    private static final List<String> MISHAPS = List.of(
            "stop amid operations, stop of two amid operations, kill amid operations, kill of two amid operations",
            "pause amid operations, death of a client amid operations",
            "cut to a server amid operations, cut from a server amid operations",
            "cut between servers amid operations, hold between servers amid operations, histories of replicated groups",
            "requests lost, replies lost, requests doubled, connections closed");

    private HistoryCoverage() {}

    /** Prints all counts. @throws AssertionError naming what never happened */
    static void require(Map<String, Long> counts) {
        counts.forEach((what, count) -> System.out.println(count + " " + what));
        List<String> missing = Stream.of(OUTCOMES, MISHAPS)
                .flatMap(List::stream)
                .flatMap(line -> List.of(line.split(", ", -1)).stream())
                .filter(cell -> !counts.containsKey(cell))
                .toList();
        if (!missing.isEmpty()) {
            throw new AssertionError("never happened: " + missing);
        }
    }
}
