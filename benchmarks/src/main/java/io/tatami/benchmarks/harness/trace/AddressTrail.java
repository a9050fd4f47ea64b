package io.tatami.benchmarks.harness.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Where on a device a server was, from its requests in the order in which the device was given them. */
public final class AddressTrail {
    /** A jump within so much is what requests do that are under way together and overtake one another. */
    static final long NEAR_BYTES = 16L << 20;

    private final List<BlockRequest> requests;

    public AddressTrail(List<BlockRequest> requests) {
        this.requests = List.copyOf(requests);
    }

    public List<BlockRequest> requests() {
        return requests;
    }

    /** How often a request does not begin where the one before it ended. */
    public long jumps() {
        return jumpsBeyond(0);
    }

    /** The same, where there are more than {@code bytes} between the two, forwards or backwards. */
    long jumpsBeyond(long bytes) {
        List<BlockRequest> placed =
                requests.stream().filter(request -> request.sectors() > 0).toList();
        long jumps = 0;
        for (int i = 1; i < placed.size(); i++) {
            long sectors = Math.abs(placed.get(i).sector() - placed.get(i - 1).end());
            if (sectors * BlockRequest.SECTOR_BYTES > bytes) {
                jumps++;
            }
        }
        return jumps;
    }

    public long bytes() {
        return requests.stream().mapToLong(BlockRequest::bytes).sum();
    }

    /** How often the device was told to flush what it was given. */
    public long flushes() {
        return requests.stream().filter(BlockRequest::isFlush).count();
    }

    /** How many different bytes were read. */
    long distinctBytesRead() {
        List<BlockRequest> reads = requests.stream()
                .filter(BlockRequest::isRead)
                .sorted(Comparator.comparingLong(BlockRequest::sector))
                .toList();
        long sectors = 0;
        long end = 0;
        for (BlockRequest read : reads) {
            sectors += Math.max(0, read.end() - Math.max(end, read.sector()));
            end = Math.max(end, read.end());
        }
        return sectors * BlockRequest.SECTOR_BYTES;
    }

    /**
     * What does not belong to reading {@code fileBytes} once; nothing where all does. A file system that keeps anything
     * of its own between or beside the data, or lets someone else at the device, has some.
     */
    public List<String> foreign(long fileBytes) {
        List<String> foreign = new ArrayList<>();
        long others = requests.stream().filter(request -> !request.isRead()).count();
        if (others > 0) {
            foreign.add(others + " requests that are no reads");
        }
        long distinct = distinctBytesRead();
        if (distinct > fileBytes) {
            foreign.add((distinct - fileBytes) + " bytes read beside those of the file");
        } else if (distinct < fileBytes) {
            foreign.add((fileBytes - distinct) + " bytes of the file not read from the device");
        }
        long again = requests.stream()
                        .filter(BlockRequest::isRead)
                        .mapToLong(BlockRequest::bytes)
                        .sum()
                - distinct;
        if (again > 0) {
            foreign.add(again + " bytes read twice");
        }
        return foreign;
    }

    /** In one line: how much, in how many requests, with how many jumps, by which threads. */
    public String describe() {
        return String.format(
                "%d requests, %.1f MiB, %d address jumps, %d of them beyond %d MiB; given by %s",
                requests.size(),
                bytes() / (double) (1 << 20),
                jumps(),
                jumpsBeyond(NEAR_BYTES),
                NEAR_BYTES >> 20,
                requests.stream().map(BlockRequest::process).collect(Collectors.toCollection(TreeSet::new)));
    }
}
