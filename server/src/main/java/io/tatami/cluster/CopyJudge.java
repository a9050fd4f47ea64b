package io.tatami.cluster;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer.Candidate;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is to be done for the copies of one block that is final. Pure: the same input gives the same verdict.
 *
 * <p>A copy is <i>good</i> if its server serves and nothing is wrong with it. A copy on a server in maintenance counts
 * as good while another one is good. Copies are made until there are as many good ones as are wanted, where
 * {@link BlockPlacer} puts them, and never on a host that has one; one more is made where all are in one rack of
 * several, or two on one host while another has room. Only then are others given up, one at a time: those that are
 * damaged, missing, unavailable, spare, on lost or draining servers, and what is too many. Where no host is left, a
 * useless copy is given up so that its server makes a good one. So a block never has fewer good copies than before.
 *
 * <p>Nothing is made while the view is braked, and nothing for a server that is silent, unless at most one good copy is
 * left.
 */
public final class CopyJudge {
    private final ServersView servers;

    public CopyJudge(ServersView servers) {
        this.servers = servers;
    }

    /** Which of a block's copies it is: see {@code BlockCopies}. */
    public enum Kind {
        COUNTED,
        INTENDED,
        SPARE
    }

    /** What an audit, or the server itself, has found of a copy. */
    public enum Problem {
        NONE,
        MISSING,
        DAMAGED,
        /** The volume that may have it does not serve. */
        UNAVAILABLE
    }

    /** A copy as its block's home knows it. */
    public record KnownCopy(ServerId server, Kind kind, Problem problem) {}

    /** What is to be done. */
    public sealed interface Verdict {}

    /** Nothing: the block has the copies that it is to have. */
    public record Healthy() implements Verdict {}

    /**
     * Copies are to be made.
     *
     * @param urgent at most one good copy is left
     * @param targets one for each copy to be made, the best first; not empty
     * @param sources servers that have the bytes, the best first; not empty
     */
    public record Make(boolean urgent, List<ServerId> targets, List<ServerId> sources) implements Verdict {}

    /**
     * A copy is to be given up, if enough others are confirmed by their servers.
     *
     * @param others the good copies beside it
     * @param needed how many of them have to be confirmed, 1 or more
     */
    public record GiveUp(ServerId server, List<ServerId> others, int needed) implements Verdict {}

    /**
     * Nothing can be done now.
     *
     * @param urgent at most one good copy is left
     * @param untilServersChange nothing helps as long as the same servers stand as they do
     * @param reason what the block waits for
     */
    public record Wait(boolean urgent, boolean untilServersChange, String reason) implements Verdict {}

    /** Nothing now: the block has the copies that it is to have, and one more is being made. */
    public record Extra() implements Verdict {}

    /**
     * The verdict for a block.
     *
     * @param wanted how many copies the file asks for, 1 or more
     * @param isRefused servers that could not make a copy of the block a moment ago
     * @param seed differs from block to block
     */
    public Verdict judge(int wanted, List<KnownCopy> copies, Predicate<ServerId> isRefused, long seed) {
        return new Case(wanted, copies, isRefused, seed).verdict();
    }

    /**
     * How well the copies of a block are, whatever is being done about it.
     *
     * @param wanted how many copies the file asks for, 1 or more
     */
    public BlockHealth health(int wanted, List<KnownCopy> copies) {
        return new Case(wanted, copies, server -> false, 0).health();
    }

    /** One block. */
    private final class Case {
        private final int wanted;
        private final List<KnownCopy> copies;
        private final Predicate<ServerId> isRefused;
        private final long seed;
        private final List<KnownCopy> good = new ArrayList<>();
        private final List<KnownCopy> resting = new ArrayList<>();
        private final List<KnownCopy> away = new ArrayList<>();
        private final List<KnownCopy> draining = new ArrayList<>();
        private final List<KnownCopy> intended = new ArrayList<>();
        private final List<KnownCopy> silent = new ArrayList<>();
        private final List<KnownCopy> useless = new ArrayList<>();

        Case(int wanted, List<KnownCopy> copies, Predicate<ServerId> isRefused, long seed) {
            this.wanted = wanted;
            this.copies = copies;
            this.isRefused = isRefused;
            this.seed = seed;
            copies.forEach(copy -> listOf(copy).add(copy));
        }

        private List<KnownCopy> listOf(KnownCopy copy) {
            Standing standing = servers.standing(copy.server());
            if (copy.kind() == Kind.INTENDED) {
                return standing == Standing.LOST || standing == Standing.DRAINING ? useless : intended;
            }
            if (copy.kind() == Kind.SPARE || copy.problem() != Problem.NONE) {
                return useless;
            }
            return switch (standing) {
                case SERVES -> good;
                case MAINTENANCE -> resting;
                case AWAY -> away;
                case DRAINING -> draining;
                case SILENT -> silent;
                case LOST -> useless;
            };
        }

        /** Copies that count towards those that are wanted. */
        private int counted() {
            return good.size() + (good.isEmpty() && draining.isEmpty() ? 0 : resting.size() + away.size());
        }

        BlockHealth health() {
            int counted = counted();
            int hosts = servers.hosts();
            int lacking = Math.max(0, Math.min(wanted, hosts) - counted);
            int readable = good.size() + resting.size() + draining.size();
            return new BlockHealth(
                    state(readable, lacking),
                    counted,
                    lacking,
                    Math.max(0, good.size() - wanted),
                    Math.max(0, wanted - Math.max(hosts, counted)),
                    count(copy -> copy.problem() == Problem.DAMAGED),
                    count(copy -> copy.kind() == Kind.SPARE),
                    count(copy -> copy.kind() == Kind.INTENDED),
                    wanted > 1 && readable == 1);
        }

        private BlockHealth.State state(int readable, int lacking) {
            if (readable == 0) {
                return unreadable();
            }
            if (lacking > 0) {
                return BlockHealth.State.UNDER_REPLICATED;
            }
            if (good.size() > wanted) {
                return BlockHealth.State.OVER_REPLICATED;
            }
            return isBadlySpread() ? BlockHealth.State.MISREPLICATED : BlockHealth.State.HEALTHY;
        }

        /** A spare may have all bytes, so a server that has one may bring the block back. */
        private BlockHealth.State unreadable() {
            if (copies.stream().anyMatch(this::mayComeBack)) {
                return BlockHealth.State.UNKNOWN;
            }
            boolean isDamaged = copies.stream()
                    .anyMatch(copy ->
                            copy.problem() == Problem.DAMAGED && servers.standing(copy.server()) != Standing.LOST);
            return isDamaged ? BlockHealth.State.DAMAGED : BlockHealth.State.MISSING;
        }

        /**
         * A volume that does not serve may be opened again. While copying is braked no server is taken for lost that an
         * administrator has not given up.
         */
        private boolean mayComeBack(KnownCopy copy) {
            Standing standing = servers.standing(copy.server());
            boolean isGiven =
                    standing == Standing.LOST && (!servers.isBraked() || servers.server(copy.server()) == null);
            boolean isAway = standing == Standing.SILENT || standing == Standing.LOST || standing == Standing.AWAY;
            return !isGiven
                    && copy.kind() != Kind.INTENDED
                    && (copy.problem() == Problem.UNAVAILABLE || (isAway && copy.problem() == Problem.NONE));
        }

        private int count(Predicate<KnownCopy> kind) {
            return (int) copies.stream().filter(kind).count();
        }

        /** Whether a block with all its copies gets another one, in a better place. */
        private boolean isBadlySpread() {
            CopyJudge free = servers.isBraked() ? new CopyJudge(servers.unbraked()) : CopyJudge.this;
            List<KnownCopy> present =
                    copies.stream().filter(copy -> copy.kind() != Kind.INTENDED).toList();
            return counted() >= wanted && free.judge(wanted, present, isRefused, seed) instanceof Make;
        }

        Verdict verdict() {
            int counted = counted();
            boolean urgent = wanted > 1 && good.size() + resting.size() + draining.size() <= 1;
            if (counted < wanted) {
                return counted + intended.size() >= wanted
                        ? new Wait(urgent, false, "copies are being made")
                        : more(wanted - counted - intended.size(), urgent);
            }
            if (!intended.isEmpty()) {
                return new Extra();
            }
            Verdict mended = isMisplaced() ? elsewhere() : null;
            return mended == null ? surplus() : mended;
        }

        /** Whether all copies are in one rack of several, or on fewer hosts than copies are wanted. */
        private boolean isMisplaced() {
            return (isInOneRack() && servers.hasSeveralRacks())
                    || (good.size() >= wanted
                            && good.stream().map(this::host).distinct().count() < wanted);
        }

        /** A copy where the rule wants one; what is too many then is given up. Null where there is no such place. */
        private @Nullable Verdict elsewhere() {
            boolean otherRack = isInOneRack() && servers.hasSeveralRacks();
            List<ServerId> targets = targets(1, otherRack, isRefused);
            if (!targets.isEmpty() && !servers.isBraked()) {
                return new Make(false, targets, sources());
            }
            return targets(1, otherRack, server -> false).isEmpty()
                    ? null
                    : new Wait(
                            false,
                            false,
                            "the copies are misplaced, and a server with a better place takes none at the moment");
        }

        private Verdict more(int count, boolean urgent) {
            List<ServerId> sources = sources();
            if (sources.isEmpty()) {
                return new Wait(urgent, true, "no server that serves has a good copy");
            }
            if (servers.isBraked()) {
                return new Wait(
                        urgent,
                        false,
                        "so many servers are silent that nothing is copied until an administrator says so");
            }
            List<KnownCopy> awaited =
                    silent.stream().filter(copy -> !isToBeEmptied(copy)).toList();
            int returning = urgent ? 0 : awaited.size();
            if (count <= returning) {
                return new Wait(false, false, "a server that is silent may be back soon: " + names(awaited));
            }
            List<ServerId> targets = targets(count - returning, false, isRefused);
            if (!targets.isEmpty()) {
                return new Make(urgent, targets, sources);
            }
            KnownCopy replaced = replaceable(isRefused);
            if (replaced != null) {
                return new GiveUp(replaced.server(), others(replaced), good.size());
            }
            boolean helpsLater = !silent.isEmpty()
                    || !targets(count - returning, false, server -> false).isEmpty()
                    || replaceable(server -> false) != null;
            return new Wait(urgent, !helpsLater, "no further server has room for a copy on a host of its own");
        }

        private boolean isToBeEmptied(KnownCopy copy) {
            Server server = servers.server(copy.server());
            return server != null && server.toBeEmptied();
        }

        /** A useless copy on a server that could make a good one in its place; null for none. */
        private @Nullable KnownCopy replaceable(Predicate<ServerId> isLeftOut) {
            return good.isEmpty()
                    ? null
                    : useless.stream()
                            .filter(copy -> copy.kind() != Kind.INTENDED)
                            .filter(copy -> isUsable(copy.server()) && !isLeftOut.test(copy.server()))
                            .findFirst()
                            .orElse(null);
        }

        private boolean isUsable(ServerId id) {
            Server server = servers.server(id);
            return server != null && server.takesCopies();
        }

        /** The servers that can be read from: those that serve first. */
        private List<ServerId> sources() {
            List<ServerId> sources = new ArrayList<>();
            for (List<KnownCopy> kind : List.of(good, draining, resting)) {
                kind.forEach(copy -> sources.add(copy.server()));
            }
            return sources;
        }

        /** @param otherRack only in racks that have no good copy yet */
        private List<ServerId> targets(int count, boolean otherRack, Predicate<ServerId> isLeftOut) {
            Set<ServerId> taken = new HashSet<>();
            Set<String> hosts = new HashSet<>();
            Set<String> racks = new HashSet<>();
            List<Candidate> present = new ArrayList<>();
            copies.forEach(copy -> taken.add(copy.server()));
            for (List<KnownCopy> kind : List.of(good, resting, away, intended)) {
                for (KnownCopy copy : kind) {
                    Server server = servers.server(copy.server());
                    if (server != null) {
                        hosts.add(server.host());
                        racks.add(server.rack());
                        present.add(candidate(server));
                    }
                }
            }
            List<Candidate> candidates = servers.usable().stream()
                    .filter(server -> !taken.contains(server.id()) && !hosts.contains(server.host()))
                    .filter(server -> !otherRack || !racks.contains(server.rack()))
                    .filter(server -> !isLeftOut.test(server.id()))
                    .map(this::candidate)
                    .toList();
            return BlockPlacer.placeAgain(present, candidates, count, seed);
        }

        private Candidate candidate(Server server) {
            return new Candidate(server.id(), server.host(), server.rack(), server.freeBytes());
        }

        private boolean isInOneRack() {
            return wanted > 1 && racks(good).size() == 1 && resting.isEmpty() && away.isEmpty();
        }

        private Set<String> racks(List<KnownCopy> of) {
            Set<String> racks = new HashSet<>();
            for (KnownCopy copy : of) {
                Server server = servers.server(copy.server());
                racks.add(server == null ? "" : server.rack());
            }
            return racks;
        }

        /** There are as many good copies as are wanted, or more. */
        private Verdict surplus() {
            for (List<KnownCopy> kind : List.of(useless, draining)) {
                if (!kind.isEmpty() && good.size() >= wanted) {
                    return giveUp(kind.get(0));
                }
            }
            KnownCopy least = good.size() > wanted ? leastNeeded() : null;
            if (least != null) {
                return giveUp(least);
            }
            return useless.isEmpty() && draining.isEmpty()
                    ? new Healthy()
                    : new Wait(false, false, "a server in maintenance has one of the copies");
        }

        private GiveUp giveUp(KnownCopy copy) {
            return new GiveUp(copy.server(), others(copy), wanted);
        }

        private List<ServerId> others(KnownCopy copy) {
            return good.stream()
                    .map(KnownCopy::server)
                    .filter(server -> !server.equals(copy.server()))
                    .toList();
        }

        /**
         * A copy beside another one on its host, else one without which the racks stay as many, on the fullest server.
         */
        private @Nullable KnownCopy leastNeeded() {
            return good.stream()
                    .max(Comparator.comparing(this::isBesideAnother)
                            .thenComparing(this::leavesRacks)
                            .thenComparing(this::usedPart)
                            .thenComparing(copy -> copy.server().value()))
                    .orElse(null);
        }

        private boolean isBesideAnother(KnownCopy copy) {
            String host = host(copy);
            return good.stream().filter(other -> host(other).equals(host)).count() > 1;
        }

        private boolean leavesRacks(KnownCopy copy) {
            List<KnownCopy> others =
                    good.stream().filter(other -> !other.equals(copy)).toList();
            return racks(others).size() == racks(good).size();
        }

        private double usedPart(KnownCopy copy) {
            Server server = servers.server(copy.server());
            return server == null ? 1 : server.usedPart();
        }

        private String host(KnownCopy copy) {
            Server server = servers.server(copy.server());
            return server == null ? "" : server.host();
        }

        private String names(List<KnownCopy> of) {
            return of.stream()
                    .map(copy -> copy.server().toString())
                    .reduce((a, b) -> a + ", " + b)
                    .orElse("none");
        }
    }
}
