package io.tatami.cluster;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer.Candidate;
import io.tatami.cluster.CopyJudge.GiveUp;
import io.tatami.cluster.CopyJudge.Healthy;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.cluster.ServersView.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which copies are moved from servers that are fuller than the mean to servers that are emptier. Only servers that
 * serve and tell how full they are give and take. Pure and immutable.
 *
 * <p>Moves begin when the fullest and the emptiest server differ by more than a percentage of their room, and end when
 * they differ by less than half of that. No move makes the source emptier than the mean, nor the target fuller: so
 * moves by the same figures end, and none is ever taken back.
 *
 * <p>A block is moved only if nothing else is to be done for it, all its copies are on servers that serve, and
 * {@link CopyJudge} would give up the copy of the source, and no other, once the target has one. So a move makes the
 * spread over hosts and racks no worse, and the block never has fewer good copies than before.
 */
public final class BalancePlan {
    /** A difference in percent of the room that is left alone, where nobody says otherwise. */
    public static final int DEFAULT_PERCENT = 10;

    /** Targets that are tried for a block. */
    private static final int TARGETS_MAX = 8;

    private final ServersView view;

    /** By what servers tell of themselves: that is what copies are given up by. */
    private final CopyJudge judge;

    private final int percent;
    private final Map<ServerId, Server> serving = new HashMap<>();
    private final double mean;
    private final double fullest;
    private final double emptiest;

    private BalancePlan(ServersView view, CopyJudge judge, int percent) {
        this.view = view;
        this.judge = judge;
        this.percent = percent;
        double used = 0;
        double capacity = 0;
        double most = 0;
        double least = 1;
        for (Server server : view.serving()) {
            serving.put(server.id(), server);
            used += server.usedBytes();
            capacity += server.capacityBytes();
            most = Math.max(most, server.usedPart());
            least = Math.min(least, server.usedPart());
        }
        this.mean = capacity == 0 ? 0 : used / capacity;
        this.fullest = most;
        this.emptiest = Math.min(most, least);
    }

    /**
     * By what servers tell of themselves.
     *
     * @param percent by how many percent of their room servers may differ; 1 or more
     */
    public static BalancePlan of(ServersView view, int percent) {
        return new BalancePlan(view, new CopyJudge(view), percent);
    }

    /** The same, where bytes have moved. */
    public BalancePlan moved(ServerId source, ServerId target, long bytes) {
        return new BalancePlan(view.moved(source, target, bytes), judge, percent);
    }

    /** Whether servers differ by so much that moves begin. */
    public boolean begins() {
        return fullest - emptiest > percent / 100.0;
    }

    /** Whether moves that have begun go on. */
    public boolean goesOn() {
        return fullest - emptiest > percent / 200.0;
    }

    public int fullestPermille() {
        return (int) Math.round(fullest * 1_000);
    }

    public int emptiestPermille() {
        return (int) Math.round(emptiest * 1_000);
    }

    /** The servers that are to give copies, the fullest first. */
    public List<ServerId> sources() {
        return serving.values().stream()
                .filter(server -> excessBytes(server.id()) > 0 && server.usedPart() - emptiest > percent / 200.0)
                .sorted(Comparator.comparingDouble(Server::usedPart)
                        .reversed()
                        .thenComparing(server -> server.id().value()))
                .map(Server::id)
                .toList();
    }

    /** How much more than the mean a server has; 0 where it has less. */
    public long excessBytes(ServerId id) {
        Server server = serving.get(id);
        return server == null ? 0 : Math.max(0, (long) (server.usedBytes() - mean * server.capacityBytes()));
    }

    /** How much all servers that are to give have above the mean. */
    public long excessBytes() {
        return sources().stream().mapToLong(this::excessBytes).sum();
    }

    private long lackingBytes(Server server) {
        return Math.max(0, (long) (mean * server.capacityBytes() - server.usedBytes()));
    }

    /**
     * Where a copy of a block is to be made so that the one of a server can go; empty where there is no such place.
     *
     * @param wanted how many copies the file asks for, 1 or more
     * @param source a server that is to give
     * @param lengthBytes of the block
     * @param seed differs from block to block
     */
    public Optional<ServerId> target(int wanted, List<KnownCopy> copies, ServerId source, long lengthBytes, long seed) {
        Server from = serving.get(source);
        boolean isMovable = from != null
                && lengthBytes > 0
                && lengthBytes <= excessBytes(source)
                && copies.stream().allMatch(this::isSound)
                && copies.stream().anyMatch(copy -> copy.server().equals(source))
                && judge.judge(wanted, copies, server -> false, seed) instanceof Healthy;
        if (from == null || !isMovable) {
            return Optional.empty();
        }
        return targets(copies, from, lengthBytes, seed).stream()
                .filter(target -> leaves(wanted, copies, source, target, seed))
                .findFirst();
    }

    private boolean isSound(KnownCopy copy) {
        return copy.kind() == Kind.COUNTED && copy.problem() == Problem.NONE && serving.containsKey(copy.server());
    }

    /** The emptier ones more often than others, and first those that fit beside the copies that stay. */
    private List<ServerId> targets(List<KnownCopy> copies, Server from, long lengthBytes, long seed) {
        List<Candidate> staying = new ArrayList<>();
        List<ServerId> holders = new ArrayList<>();
        for (KnownCopy copy : copies) {
            Server server = serving.get(copy.server());
            holders.add(copy.server());
            if (server != null && !copy.server().equals(from.id())) {
                staying.add(candidate(server));
            }
        }
        List<Candidate> candidates = serving.values().stream()
                .filter(server -> server.with(server.usedBytes() + lengthBytes).takesCopies())
                .filter(server -> lackingBytes(server) >= lengthBytes)
                .filter(server -> from.usedPart() - server.usedPart() > percent / 200.0)
                .filter(server -> !holders.contains(server.id()))
                .sorted(Comparator.comparing(server -> server.id().value()))
                .map(this::candidate)
                .toList();
        return BlockPlacer.placeAgain(staying, candidates, TARGETS_MAX, seed);
    }

    private Candidate candidate(Server server) {
        return new Candidate(server.id(), server.host(), server.rack(), lackingBytes(server));
    }

    /** Whether the copy of the source goes when the target has one, and nothing is to be done after that. */
    private boolean leaves(int wanted, List<KnownCopy> copies, ServerId source, ServerId target, long seed) {
        List<KnownCopy> both = new ArrayList<>(copies);
        both.add(new KnownCopy(target, Kind.COUNTED, Problem.NONE));
        boolean goes = judge.judge(wanted, both, server -> false, seed) instanceof GiveUp giveUp
                && giveUp.server().equals(source);
        List<KnownCopy> after = new ArrayList<>(both);
        after.removeIf(copy -> copy.server().equals(source));
        return goes && judge.judge(wanted, after, server -> false, seed) instanceof Healthy;
    }
}
