package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.rpc.sim.SimNetwork.Change;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the steps of a world from {@link #begin} to {@link #end}, which are the messages sent, the accesses of disks
 * and the steps of groups, and has troubles come at some of them. Between two steps nothing changes that anybody else
 * could see.
 */
final class PlannedTroubles {
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long METADATA_AWAY_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private static final Set<Kind> OF_MESSAGES = EnumSet.of(Kind.LOST, Kind.TWICE, Kind.LATE);
    private static final Set<Kind> OF_SERVERS = EnumSet.of(Kind.PROCESS_ENDS, Kind.POWER_CUT, Kind.SERVER_HANGS);
    private static final Set<Kind> OF_ACCESSES = EnumSet.of(Kind.PROCESS_ENDS, Kind.POWER_CUT, Kind.DISK_FAILS);

    private final CopiesWorld world;
    private final List<Planned> plan;
    private final List<Set<Kind>> steps = new ArrayList<>();
    private boolean isCounting;
    private boolean isCommanded;

    /** What goes wrong at a step. */
    enum Kind {
        /** The message; a connection whose stream loses one is cut. */
        LOST,
        TWICE,
        LATE,
        /** The process of the block server that is to receive the message, or else has sent it; or of the disk. */
        PROCESS_ENDS,
        /** Of the same host, at an access with whatever effect that has then. */
        POWER_CUT,
        SERVER_HANGS,
        DISK_FAILS,
        METADATA_ENDS
    }

    /** One trouble. */
    record Planned(int step, Kind kind) {
        /** Whether both can come: a message has one fate. */
        boolean goesWith(Planned later) {
            return step != later.step
                    || (kind.ordinal() < later.kind.ordinal()
                            && !(OF_MESSAGES.contains(kind) && OF_MESSAGES.contains(later.kind)));
        }

        @Override
        public String toString() {
            return step + ":" + kind;
        }
    }

    PlannedTroubles(CopiesWorld world, List<Planned> plan) {
        this.world = world;
        this.plan = plan;
    }

    void begin() {
        isCounting = true;
        world.network().watch(this::sending);
        for (SimServer server : world.servers()) {
            server.drives().forEach(drive -> drive.watch(() -> accessing(server, drive)));
        }
        world.steps(this::groupStep);
    }

    void end() {
        isCounting = false;
    }

    /** Whether the shard has sent something to a block server. */
    boolean isCommanded() {
        return isCommanded;
    }

    /** All that could have gone wrong at the steps there were, from the last on that is planned. */
    List<Planned> possible() {
        List<Planned> all = new ArrayList<>();
        for (int step = plan.isEmpty() ? 0 : plan.get(plan.size() - 1).step(); step < steps.size(); step++) {
            for (Kind kind : steps.get(step)) {
                all.add(new Planned(step, kind));
            }
        }
        return all;
    }

    private Change sending(SocketAddress from, SocketAddress to) {
        if (!isCounting) {
            return Change.NONE;
        }
        SimServer receiver = serverAt(to);
        isCommanded |= receiver != null && from.equals(SimMetadata.ADDRESS);
        SimServer server = receiver == null ? serverAt(from) : receiver;
        Set<Kind> kinds = EnumSet.copyOf(OF_MESSAGES);
        kinds.addAll(server == null ? EnumSet.of(Kind.METADATA_ENDS) : OF_SERVERS);
        Change change = Change.NONE;
        for (Kind kind : next(kinds)) {
            if (OF_MESSAGES.contains(kind)) {
                change = Change.valueOf(kind.name());
            } else {
                world.time().after(0, () -> strike(kind, server));
            }
        }
        return change;
    }

    private @Nullable SimServer serverAt(SocketAddress address) {
        return world.servers().stream()
                .filter(server -> server.address().equals(address))
                .findFirst()
                .orElse(null);
    }

    private void accessing(SimServer server, SimDrive drive) {
        if (!isCounting || server.isDestroyed()) {
            return;
        }
        for (Kind kind : next(OF_ACCESSES)) {
            switch (kind) {
                case POWER_CUT -> drive.arm(0, Fault.POWER_CUT);
                case DISK_FAILS -> drive.arm(0, Fault.IO_ERROR);
                default -> world.time().after(0, () -> strike(kind, server));
            }
        }
    }

    private void groupStep() {
        if (isCounting && !next(EnumSet.of(Kind.METADATA_ENDS)).isEmpty()) {
            endMetadata();
        }
    }

    /** One step more, at which these are possible; those that are planned. */
    private List<Kind> next(Set<Kind> possible) {
        int step = steps.size();
        steps.add(possible);
        List<Kind> now = new ArrayList<>();
        for (Planned planned : plan) {
            if (planned.step() == step) {
                Check.check(possible.contains(planned.kind()), "%s does not come again: %s", planned, possible);
                world.coverage().count("planned " + planned.kind());
                now.add(planned.kind());
            }
        }
        return now;
    }

    private void strike(Kind kind, @Nullable SimServer server) {
        if (kind == Kind.METADATA_ENDS) {
            endMetadata();
        } else if (server != null) {
            switch (kind) {
                case PROCESS_ENDS -> server.leave(false, world.awayNanos());
                case POWER_CUT -> server.leave(true, world.awayNanos());
                case SERVER_HANGS -> server.hang(HANG_NANOS);
                default -> throw new IllegalStateException("no trouble of a server: " + kind);
            }
        }
    }

    private void endMetadata() {
        world.metadata().kill();
        world.time().after(METADATA_AWAY_NANOS, world.metadata()::start);
    }
}
