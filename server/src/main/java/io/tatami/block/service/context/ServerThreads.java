package io.tatami.block.service.context;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.block.device.IoThreads;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a block server that may wait for a disk or for another server; event loops never do. They are never
 * interrupted, for an interrupt would close the volumes' files.
 */
public final class ServerThreads {
    private static final Logger LOG = LoggerFactory.getLogger(ServerThreads.class);
    private static final long IDLE_SECONDS = 30;
    private static final long CLOSE_LIMIT_SECONDS = 30;

    private final ExecutorService writers;
    private final Map<Volume, VolumeThreads> ofVolumes = new ConcurrentHashMap<>();
    private final AtomicInteger nextNumber = new AtomicInteger();
    private final Supplier<VolumeThreads> forVolume;
    private final ExecutorService commands;
    private final ScheduledExecutorService housekeeping;
    private final Alarm alarm;

    /** Runs something after so many milliseconds; it must return soon. */
    @FunctionalInterface
    private interface Alarm {
        void set(long millis, Runnable action);
    }

    /** Those that wait for one volume: what hangs there holds up nothing elsewhere. */
    private record VolumeThreads(ExecutorService readers, ExecutorService commands) {}

    public ServerThreads(BlockServerSettings settings, List<Volume> volumes) {
        ThreadPoolExecutor started = pool("block-writer", 0, Integer.MAX_VALUE, new SynchronousQueue<>());
        started.setRejectedExecutionHandler(ServerThreads::dropLateEvent);
        writers = started;
        forVolume = () -> {
            String number = "-" + nextNumber.getAndIncrement();
            ThreadPoolExecutor readers = pool(
                    "block-reader" + number,
                    settings.readThreads(),
                    settings.readThreads(),
                    new LinkedBlockingQueue<>());
            readers.setRejectedExecutionHandler(ServerThreads::dropLateEvent);
            return new VolumeThreads(readers, commands("block-command" + number, settings));
        };
        volumes.forEach(this::add);
        commands = commands("block-command", settings);
        housekeeping = new ScheduledThreadPoolExecutor(1, Threads.daemons("block-housekeeping"));
        alarm = (millis, action) -> CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(action);
    }

    /** No threads: all work goes to {@code executor}. For simulations, which own the order in which work is done. */
    public ServerThreads(ScheduledExecutorService executor, List<Volume> volumes) {
        writers = executor;
        forVolume = () -> new VolumeThreads(executor, executor);
        volumes.forEach(this::add);
        commands = executor;
        housekeeping = executor;
        alarm = (millis, action) -> {
            ScheduledFuture<?> unused = executor.schedule(action, millis, TimeUnit.MILLISECONDS);
        };
    }

    /** Has threads for one more volume. */
    public void add(Volume volume) {
        ofVolumes.put(volume, forVolume.get());
    }

    /** Ends the threads of a volume that is no longer served; what they were given is done. */
    public void remove(Volume volume) {
        VolumeThreads threads = ofVolumes.remove(volume);
        if (threads != null) {
            end(threads);
        }
    }

    private void end(VolumeThreads threads) {
        // A simulation has one executor for all.
        if (threads.commands() != commands) {
            threads.commands().shutdown();
            threads.readers().shutdown();
        }
    }

    /**
     * For what may wait for a disk or for another server for long. There is no limit of threads, as a task may wait for
     * another one that would be behind it: the number of tasks is limited by those who give them. They are at most
     *
     * <ul>
     *   <li>one for each write session, of which {@code tatami.block.write.streams.max} may be open on a volume, and as
     *       many again may be about to open their writer: by default 8,192 for each volume, and 8,192 more;
     *   <li>twice {@code tatami.block.pulls.max} for each volume, or eight times as many while blocks are short, by
     *       default 64, and one that finishes copies;
     *   <li>one that moves blocks between volumes, and one for each volume that is being taken out.
     * </ul>
     *
     * A session that rests has no task, and a thread without one ends after {@value #IDLE_SECONDS} s: so many are there
     * only while a disk hangs.
     */
    public Executor writers() {
        return writers;
    }

    /**
     * For the turns of read sessions of a volume, each of which waits here once at most.
     *
     * @throws TatamiException UNAVAILABLE where the volume was taken out of the server
     */
    public Executor readers(Volume volume) throws TatamiException {
        return of(volume).readers();
    }

    /** One thread for what happens by itself. */
    public Executor housekeeping() {
        return housekeeping;
    }

    /**
     * Runs {@code task} on the housekeeping thread, again and again; a failure of it is logged and the next run comes.
     */
    public void every(long millis, Runnable task) {
        ScheduledFuture<?> unused = housekeeping.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException e) {
                        LOG.error("housekeeping failed", e);
                    }
                },
                millis,
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** Runs {@code action}, which must return soon, once, whatever the threads wait for. */
    public void after(long millis, Runnable action) {
        alarm.set(millis, action);
    }

    /** Runs what waits for no volume, as {@link #command(Volume, Runnable)}. */
    public void command(Runnable command) throws TatamiException {
        execute(commands, command, "the block server is stopping");
    }

    /**
     * @throws TatamiException BUSY where too many commands wait for the volume, UNAVAILABLE where the server is
     *     stopping, or the volume was taken out of it
     */
    public void command(Volume volume, Runnable command) throws TatamiException {
        execute(of(volume).commands(), command, "the block server is stopping, or has taken the volume out");
    }

    private static void execute(ExecutorService on, Runnable command, String whyEnded) throws TatamiException {
        try {
            on.execute(command);
        } catch (RejectedExecutionException e) {
            throw on.isShutdown()
                    ? new TatamiException(ErrorCode.UNAVAILABLE, whyEnded, e)
                    : new TatamiException(
                            ErrorCode.BUSY, "too many commands are queued for the disks; send this one later", e);
        }
    }

    private VolumeThreads of(Volume volume) throws TatamiException {
        VolumeThreads threads = ofVolumes.get(volume);
        if (threads == null) {
            throw VolumeSet.takenOut(volume);
        }
        return threads;
    }

    /** Runs nothing more by itself, and refuses commands; what was begun finishes. */
    public void end() {
        housekeeping.shutdown();
        commands.shutdown();
        ofVolumes.values().forEach(threads -> threads.commands().shutdown());
    }

    /** Whether the threads of a volume, which take nothing more from now on, have ended, within {@code limitMillis}. */
    public boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        VolumeThreads threads = ofVolumes.get(volume);
        if (threads == null) {
            return true;
        }
        end(threads);
        return threads.readers().awaitTermination(limitMillis, TimeUnit.MILLISECONDS)
                && threads.commands().awaitTermination(limitMillis, TimeUnit.MILLISECONDS);
    }

    /**
     * Ends the threads that are of no volume, and waits for them; an interrupt is kept for later.
     *
     * @param writersHang whether some wait for a volume that hangs: those are not waited for
     */
    public void close(boolean writersHang) {
        end();
        writers.shutdown();
        List<ExecutorService> pools =
                writersHang ? List.of(housekeeping, commands) : List.of(housekeeping, commands, writers);
        boolean interrupted = false;
        for (ExecutorService pool : pools) {
            try {
                if (!interrupted && !pool.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("threads of the block server do not end");
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a connection still says of a stream after the server has ended them all; nobody has to act on it. */
    private static void dropLateEvent(Runnable event, ThreadPoolExecutor pool) {
        LOG.debug("{} came after the server had stopped", event);
    }

    private static ExecutorService commands(String name, BlockServerSettings settings) {
        int threads = settings.commandThreads();
        return pool(name, threads, threads, new ArrayBlockingQueue<>(settings.commandsMax()));
    }

    private static ThreadPoolExecutor pool(String name, int least, int most, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(least, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, IoThreads.callers(name));
        if (least > 0) {
            pool.allowCoreThreadTimeOut(true);
        }
        return pool;
    }
}
