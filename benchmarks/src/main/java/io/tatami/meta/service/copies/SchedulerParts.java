package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.meta.service.copies.PullsInFlight.Pull;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a shard's {@link CopyScheduler} that need no group, for {@code tatami bench simulate}: its sweeps over
 * the classes of needs, its pulls in flight with their limit, and the order of sources by their load. Owned by one
 * thread.
 */
@NullMarked
public final class SchedulerParts {
    /** Blocks of a shard that wait, above which those of dead and draining servers are not queued. */
    public static final long WAITING_MAX = DeadServers.WAITING_MAX;

    /** Blocks of a dead or draining server that are queued at once. */
    public static final int QUEUED_PAGE = DeadServers.PAGE;

    /** Until a pass over a server's blocks that waits looks again, in nanoseconds. */
    public static final long QUEUED_LOOK_NANOS = DeadServers.LOOK.toNanos();

    /** Blocks that are judged at once. */
    public static final int JUDGED_PAGE = CopyScheduler.PAGE;

    /** Blocks that have changed and are to be judged at once; others are found in their class. */
    public static final int CHANGED_MAX = CopyScheduler.CHANGED_MAX;

    /** Blocks of a server that the balancer looks at, at once. */
    public static final int BALANCED_PAGE = Balancer.PAGE;

    /** Blocks of one round of the balancer. */
    public static final int ROUND_BLOCKS_MAX = Balancer.ROUND_BLOCKS_MAX;

    /** Bytes of one round of the balancer. */
    public static final long ROUND_BYTES_MAX = Balancer.ROUND_BYTES_MAX;

    /** The balancer's rest after a round, in nanoseconds. */
    public static final long SETTLE_NANOS = Balancer.SETTLE.toNanos();

    /** The longest round of the balancer, in nanoseconds. */
    public static final long ROUND_NANOS_MAX = Balancer.ROUND_MAX.toNanos();

    /** The balancer's rest after no block of any source could be moved, in nanoseconds. */
    public static final long FRUITLESS_NANOS = Balancer.FRUITLESS.toNanos();

    /** The balancer's rest where it has nothing to do, in nanoseconds. */
    public static final long BALANCE_LOOK_NANOS = Balancer.LOOK.toNanos();

    /** The balancer's rest between two pages, in nanoseconds. */
    public static final long BETWEEN_PAGES_NANOS = Balancer.BETWEEN_PAGES.toNanos();

    private final NeedSweeps sweeps;
    private final PullsInFlight pulls;

    /** @param inFlightMax copies that were asked for and not heard of yet */
    public SchedulerParts(Clock clock, int inFlightMax) {
        this.sweeps = new NeedSweeps(clock);
        this.pulls = new PullsInFlight(clock, inFlightMax);
    }

    /** A copy that is to be asked for. */
    public record DueCopy(BlockId block, ServerId target) {}

    /** As {@link NeedSweeps#servers}. */
    public void servers(Object standings) {
        sweeps.servers(standings, "");
    }

    /** The most urgent class that is due; null for none. */
    public @Nullable Urgency nextDue() {
        return sweeps.nextDue();
    }

    /** The last block of the class that was looked at; 0 before the first one. */
    public long cursor(Urgency urgency) {
        return sweeps.cursor(urgency);
    }

    /** As {@link NeedSweeps#advance}. */
    public void advance(Urgency urgency, long upTo, boolean isFull, boolean isLast, int found) {
        sweeps.advance(urgency, upTo, isFull, isLast, found);
    }

    /** How many more copies may be asked for. */
    public int room(boolean urgent) {
        return pulls.room(urgent);
    }

    /** How many copies of blocks that need none may be asked for now. */
    public int roomForMoves() {
        return pulls.roomForMoves();
    }

    /** Copies in flight. */
    public int count() {
        return pulls.count();
    }

    /** A copy is intended; it is due to be asked for. */
    public void intend(BlockId block, ServerId target, long bytes) {
        pulls.add(pull(block, target), bytes);
    }

    /** A copy was made. */
    public void made(BlockId block, ServerId target) {
        long unused = pulls.remove(pull(block, target));
    }

    /** What is to be asked for now, or again; at most one request's copies. */
    public List<DueCopy> takeDue() {
        return pulls.takeDue(RequestLimits.PULLED_BLOCKS).stream()
                .map(pull -> new DueCopy(pull.block(), pull.copy().server()))
                .toList();
    }

    /** The loads of sources, for the copies that {@link #takeDue} has given. */
    public Loads loads() {
        return new Loads(new SourceLoads(pulls.bytesBySource()));
    }

    /** What sources are to send. */
    public final class Loads {
        private final SourceLoads loads;

        private Loads(SourceLoads loads) {
            this.loads = loads;
        }

        /**
         * The first source of a copy.
         *
         * @param sources servers with a good copy, of one standing; not empty
         */
        public ServerId first(DueCopy copy, List<ServerId> sources, long bytes) {
            List<WriteTarget> targets = new ArrayList<>();
            sources.forEach(server -> targets.add(
                    WriteTarget.newBuilder().setServerId(server.value()).build()));
            ServerId first = new ServerId(loads.order(targets, bytes).get(0).getServerId());
            pulls.isMadeFrom(pull(copy.block(), copy.target()), first);
            return first;
        }
    }

    private static Pull pull(BlockId block, ServerId target) {
        return new Pull(block, new Copy(target, 0));
    }
}
