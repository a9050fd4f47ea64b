package io.tatami.server;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.MetadataServerInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@link FailoverClient}s at work on one cluster, and a client that looks at it from outside. */
final class FailoverClients implements AutoCloseable {
    private final MetadataTrio trio;
    private final int steps;
    private final TatamiClient observer;
    private final List<FailoverClient> clients = new ArrayList<>();

    /**
     * Returns when each client has done its first steps.
     *
     * @param steps of each client, that {@link #awaitSteps} waits for
     * @param seed replays what the clients choose
     */
    FailoverClients(MetadataTrio trio, int count, int steps, long seed) throws IOException, InterruptedException {
        System.out.println("replay with -Dtatami.test.seed=" + seed);
        this.trio = trio;
        this.steps = steps;
        this.observer = trio.connect();
        try {
            for (int i = 0; i < count; i++) {
                FailoverClient client = new FailoverClient(trio.connect(), "client-" + i, seed + i);
                clients.add(client);
                client.start();
            }
            awaitSteps();
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** The server that leads a group now. */
    int leader(GroupId group) throws TatamiException {
        return trio.leader(observer, group);
    }

    /** As the namespace's leader knows them. */
    List<MetadataServerInfo> servers() throws TatamiException {
        return observer.cluster().metadataServers().getServerList();
    }

    /** Waits until each client has got on. */
    void awaitSteps() throws InterruptedException {
        for (FailoverClient client : clients) {
            client.awaitSteps(steps);
        }
    }

    /** How many steps of all clients were acknowledged. */
    long steps() {
        return clients.stream().mapToLong(FailoverClient::steps).sum();
    }

    /** Ends the work; all that was acknowledged must be there. */
    void check() throws Exception {
        for (FailoverClient client : clients) {
            client.check(observer);
        }
    }

    @Override
    public void close() {
        clients.forEach(FailoverClient::close);
        observer.close();
    }
}
