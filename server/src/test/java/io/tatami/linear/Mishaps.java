package io.tatami.linear;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What happens to servers, ways and clients while a history is made: each at a count of operations that the seed gives.
 * How long a mishap lasts bears on what the history has in it, and on nothing that a test asserts. Used by one thread.
 */
final class Mishaps {
    private static final int MILLIS_MIN = 50;
    private static final long POLL_MILLIS = 1;

    private final Random random;
    private final Servers servers;
    private final Ways ways;
    private final List<RoughConnector> connectors;
    private final Map<String, Long> counts;
    private final int millisMax;

    /** The kinds. */
    private enum Kind {
        END,
        END_TWO,
        PAUSE,
        CUT_UP,
        CUT_DOWN,
        CLIENT_DIES,
        /** This and what follows happens between servers, where they keep together. */
        PEERS_CUT,
        PEERS_HELD
    }

    /** @param connectors of the clients, which are replaced in the list as clients die */
    Mishaps(
            long seed,
            Servers servers,
            Ways ways,
            List<RoughConnector> connectors,
            int millisMax,
            Map<String, Long> counts) {
        this.random = new Random(~seed);
        this.servers = servers;
        this.ways = ways;
        this.connectors = connectors;
        this.millisMax = millisMax;
        this.counts = counts;
    }

    /**
     * Lets all of them happen, unless the clients end before; at the end nothing is amiss.
     *
     * @param calls how many operations there will be
     * @param clients counts the clients that still work
     */
    void happen(Recorder recorder, int calls, CountDownLatch clients) throws IOException, InterruptedException {
        List<Integer> moments = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            moments.add(3 + random.nextInt(Math.max(1, calls - 6)));
        }
        moments.sort(null);
        for (int moment : moments) {
            Kind kind = kind();
            while (recorder.begun() < moment && clients.getCount() > 0) {
                Thread.sleep(POLL_MILLIS);
            }
            if (clients.getCount() > 0) {
                happen(kind, recorder);
            }
        }
    }

    private Kind kind() {
        int kinds = servers.canCutPeers() ? Kind.values().length : Kind.PEERS_CUT.ordinal();
        Kind drawn = Kind.values()[random.nextInt(kinds)];
        return drawn == Kind.PAUSE && !servers.canPause() ? Kind.CUT_DOWN : drawn;
    }

    private void happen(Kind kind, Recorder recorder) throws IOException, InterruptedException {
        int server = random.nextInt(servers.addresses().size());
        int other = (server + 1) % servers.addresses().size();
        boolean midst = recorder.underWay() > 0;
        recorder.note(name(kind) + " begins, of server " + server);
        switch (kind) {
            case END -> end(List.of(server));
            case END_TWO -> end(List.of(server, other));
            case PAUSE -> {
                servers.pause(server);
                last();
                servers.resume(server);
            }
            case CUT_UP -> cut(server, true);
            case CUT_DOWN -> cut(server, false);
            case PEERS_CUT -> {
                servers.cutPeers(server, true);
                last();
                servers.cutPeers(server, false);
            }
            case PEERS_HELD -> {
                servers.holdPeers(server, true);
                last();
                servers.holdPeers(server, false);
            }
            case CLIENT_DIES -> {
                synchronized (connectors) {
                    connectors.get(random.nextInt(connectors.size())).die();
                }
            }
        }
        recorder.note(name(kind) + " has ended");
        counts.merge(name(kind) + (midst ? " amid operations" : " between operations"), 1L, Long::sum);
    }

    private String name(Kind kind) {
        return switch (kind) {
            case END -> servers.wayToEnd();
            case END_TWO -> servers.wayToEnd() + " of two";
            case PAUSE -> "pause";
            case CUT_UP -> "cut to a server";
            case CUT_DOWN -> "cut from a server";
            case CLIENT_DIES -> "death of a client";
            case PEERS_CUT -> "cut between servers";
            case PEERS_HELD -> "hold between servers";
        };
    }

    private void end(List<Integer> ended) throws IOException, InterruptedException {
        for (int server : ended) {
            servers.end(server);
        }
        last();
        for (int server : ended) {
            servers.begin(server);
        }
    }

    /** All clients or one. */
    private void cut(int server, boolean up) throws InterruptedException {
        InetSocketAddress address = servers.addresses().get(server);
        int only = random.nextInt(2 * connectors.size());
        List<Ways.Way> cut = new ArrayList<>();
        for (int client = 0; client < connectors.size(); client++) {
            if (only >= connectors.size() || only == client) {
                cut.add(new Ways.Way(client, address, up));
            }
        }
        cut.forEach(ways::cut);
        last();
        cut.forEach(ways::mend);
    }

    private void last() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(MILLIS_MIN + random.nextInt(millisMax));
    }
}
