package io.tatami.block.service.context;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.RefusalSubject.ServerSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings, volumes, clock and counters of one block server, shared by its parts. Safe for use by many threads.
 *
 * @param serverId this server's id in its cluster; none before it is known
 * @param incarnation of this process; 0 for none
 */
public record ServerContext(
        BlockServerSettings settings,
        VolumeSet volumes,
        Clock clock,
        BlockServerMetrics metrics,
        Supplier<ServerId> serverId,
        long incarnation) {
    private static final Logger LOG = LoggerFactory.getLogger(ServerContext.class);

    /** Failures that need an operator, and so a warning in the log. */
    private static final Set<ErrorCode> SERIOUS = EnumSet.of(ErrorCode.INTERNAL, ErrorCode.CORRUPT, ErrorCode.IO_ERROR);

    /** Of a server that is in no cluster. */
    public ServerContext(
            BlockServerSettings settings,
            VolumeSet volumes,
            Clock clock,
            BlockServerMetrics metrics,
            Supplier<ServerId> serverId) {
        this(settings, volumes, clock, metrics, serverId, 0);
    }

    /** The monotonic time of this server's clock, in nanoseconds. */
    public long nowNanos() {
        return clock.monotonicNanos();
    }

    /** Logs the failure of a request. */
    public void failed(TatamiException failure) {
        if (SERIOUS.contains(failure.code())) {
            LOG.warn("a request to the data port failed", failure);
        } else {
            LOG.debug("a request to the data port failed", failure);
        }
    }

    /** A failure of a write stream, about this server unless it is about one farther back in the chain. */
    public TatamiException ownFailure(TatamiException failure) {
        return about(serverId.get(), failure);
    }

    static TatamiException about(ServerId server, TatamiException failure) {
        return failure.subject() instanceof ServerSubject
                ? failure
                : failure.retold(String.valueOf(failure.getMessage()), new ServerSubject(server));
    }

    /** The failure of streams that are open, or asked for, when the server stops. */
    public static TatamiException stopping() {
        return new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
    }

    /** @throws TatamiException MALFORMED if {@code number} is not a block's id */
    public static BlockId blockId(long number) throws TatamiException {
        if (number <= 0) {
            throw new TatamiException(ErrorCode.MALFORMED, "invalid block id " + Long.toUnsignedString(number));
        }
        return new BlockId(number);
    }

    /** @throws TatamiException MALFORMED if {@code number} is above those of copies */
    public static int copyNumber(int number) throws TatamiException {
        if (number < 0) {
            throw new TatamiException(ErrorCode.MALFORMED, Integer.toUnsignedString(number) + " is no copy number");
        }
        return number;
    }

    /** @throws TatamiException MALFORMED if {@code number} is not a generation */
    public static Generation generation(long number) throws TatamiException {
        if (number < 0) {
            throw new TatamiException(ErrorCode.MALFORMED, Long.toUnsignedString(number) + " is no generation");
        }
        return Generation.of(number);
    }
}
