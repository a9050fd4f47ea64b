package io.tatami.benchmarks.workload.bulk;

import io.tatami.benchmarks.harness.client.ClientGroup;
import io.tatami.benchmarks.workload.bulk.FileMaker.OpenFile;
import io.tatami.client.model.TatamiPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One JVM of clients. {@code create MODE DIRECTORY SECONDS} has each create files there for so long and keep them open;
 * {@code close} has each close them. Both answer {@code FILES NANOS WITHOUT_GRANT}, the time being that of the slowest
 * client.
 */
public final class BulkWorker {
    private final ClientGroup<FileMaker> clients;

    /** By client. */
    private final Map<Integer, List<OpenFile>> open = new ConcurrentHashMap<>();

    private BulkWorker(ClientGroup<FileMaker> clients) {
        this.clients = clients;
    }

    /** Arguments: the number of the first client, how many, and where the metadata is. */
    public static void main(String[] arguments) throws Exception {
        try (ClientGroup<FileMaker> clients = new ClientGroup<>(
                Integer.parseInt(arguments[0]),
                Integer.parseInt(arguments[1]),
                client -> new FileMaker(arguments[2]))) {
            clients.serve(new BulkWorker(clients)::run);
        }
    }

    private String run(String[] words) throws Exception {
        return switch (words[0]) {
            case "create" ->
                timed((maker, client) ->
                        create(maker, client, CreateMode.valueOf(words[1]), words[2], Long.parseLong(words[3])));
            case "close" -> timed(this::close);
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
    }

    private String timed(ClientGroup.Work<FileMaker, BulkTally> work) throws Exception {
        long begin = System.nanoTime();
        List<BulkTally> tallies = clients.run(Integer.MAX_VALUE, work);
        return BulkTally.together(tallies, System.nanoTime() - begin).toString();
    }

    private BulkTally create(FileMaker maker, int client, CreateMode mode, String directory, long seconds)
            throws Exception {
        List<OpenFile> files = new ArrayList<>();
        long without = maker.withoutGrant();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < deadline) {
            files.add(maker.create(TatamiPath.of(directory + "/c" + client + "-" + files.size()), mode));
        }
        open.put(client, files);
        return new BulkTally(files.size(), 0, maker.withoutGrant() - without);
    }

    private BulkTally close(FileMaker maker, int client) throws Exception {
        List<OpenFile> files = open.remove(client);
        if (files == null) {
            throw new IllegalStateException("client " + client + " has created nothing");
        }
        for (OpenFile file : files) {
            maker.close(file);
        }
        return new BulkTally(files.size(), 0, 0);
    }
}
