package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.SimulatedServer;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.registration.SimulatedNotices;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A host with its disks and the block server on it, of which one process after another runs. */
final class SimServer {
    /** When nothing of a process that has ended is at work any more. */
    private static final long REMAINS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long NOTICES_MILLIS = 500;

    /** The process that the running thread is of. */
    private static final ThreadLocal<@Nullable Process> CURRENT = new ThreadLocal<>();

    private final CopiesWorld world;
    private final ServerId id;
    private final InetSocketAddress address;
    private final BlockServerSettings settings;
    private final List<SimDrive> drives;
    private @Nullable Process process;
    private int ends;
    private int powerCuts;
    private int diskFailures;
    private boolean isAway;
    private boolean isDestroyed;

    SimServer(CopiesWorld world, int number, BlockServerSettings settings, List<SimDrive> drives) {
        this.world = world;
        this.id = new ServerId(number);
        this.address = new InetSocketAddress("10.77.0." + number, 9480);
        this.settings = settings;
        this.drives = drives;
    }

    ServerId id() {
        return id;
    }

    InetSocketAddress address() {
        return address;
    }

    List<SimDrive> drives() {
        return drives;
    }

    boolean isRunning() {
        return process != null;
    }

    /** Whether the namespace hears of it. */
    boolean isHeard() {
        return process != null && !process.executor.hangs();
    }

    /** Of the running process; 0 where none runs. */
    long incarnation() {
        Process running = process;
        return running == null ? 0 : running.incarnation;
    }

    /** Whether its disks are gone for good. */
    boolean isDestroyed() {
        return isDestroyed;
    }

    /** What has happened to the host, counted: what a promise depends on. */
    Fate fate() {
        return new Fate(ends, powerCuts, diskFailures);
    }

    /**
     * What has happened to a host.
     *
     * @param ends of processes, those by power cuts included
     * @param diskFailures errors of its disks
     */
    record Fate(int ends, int powerCuts, int diskFailures) {
        static final Fate OF_ONE_THAT_JOINS = new Fate(0, 0, 0);
    }

    /** The volumes of the running process. */
    List<Volume> volumes() {
        Process running = process;
        return running == null ? List.of() : running.volumes;
    }

    /** A new process, unless one runs. */
    void start() {
        isAway = false;
        if (process != null || isDestroyed) {
            return;
        }
        try {
            Process started = new Process(opened());
            process = started;
            started.begin();
        } catch (TatamiException e) {
            failedToStart(e);
        }
    }

    /** A fault that was armed has struck the opening, or the index is full: there is another one. */
    private void failedToStart(TatamiException failure) {
        boolean isExplained = drives.stream().anyMatch(SimDrive::isIndexFull);
        for (SimDrive drive : drives) {
            SimFaults.Fault struck = drive.takeStruck();
            isExplained |= struck != null;
            if (struck == SimFaults.Fault.POWER_CUT) {
                cutPower();
            } else if (struck == SimFaults.Fault.IO_ERROR) {
                diskFailures++;
            }
        }
        if (!isExplained) {
            throw new IllegalStateException("a volume of " + id + " cannot be opened", failure);
        }
        isAway = true;
        world.time().after(world.awayNanos(), this::start);
    }

    /** A new plug, and the volumes behind it. */
    private record Opened(SimPlug plug, List<Volume> volumes) {}

    private Opened opened() throws TatamiException {
        SimPlug plug = new SimPlug();
        List<Volume> volumes = new ArrayList<>();
        for (SimDrive drive : drives) {
            volumes.add(drive.open(plug));
        }
        return new Opened(plug, volumes);
    }

    /** The process ends at this moment; what it wrote is there. */
    void kill() {
        Process ended = process;
        if (ended != null) {
            process = null;
            ends++;
            ended.end();
        }
    }

    /** The host's power goes, and comes back. */
    void cutPower() {
        kill();
        powerCuts++;
        drives.forEach(SimDrive::losePower);
    }

    /** Ends the process in one way or the other; another starts after {@code awayNanos}. */
    void leave(boolean byPowerCut, long awayNanos) {
        if (isAway) {
            return;
        }
        isAway = true;
        if (byPowerCut) {
            cutPower();
        } else {
            kill();
        }
        world.time().after(awayNanos, this::start);
    }

    /** The host is gone with its disks, and comes never back. */
    void destroy() {
        isDestroyed = true;
        kill();
    }

    /** No task of the process is begun for so long. */
    void hang(long nanos) {
        if (process != null) {
            process.executor.hang(nanos);
        }
    }

    /** Everything is there again. */
    void heal() {
        boolean hasFailed = volumes().stream()
                .anyMatch(volume -> !volume.statistics().failure().isEmpty());
        drives.forEach(SimDrive::mend);
        if (hasFailed) {
            kill();
        }
        if (process != null) {
            process.executor.goOn();
        }
        start();
    }

    /** The server whose process runs this code; null for none, and for one that has ended. */
    static @Nullable SimServer current() {
        Process current = CURRENT.get();
        return current == null || current.plug.isPulled() ? null : current.server();
    }

    /** Streams that the process has open; 0 where none runs. */
    long streams() {
        Process running = process;
        return running == null ? 0 : running.served.streams();
    }

    /** One run of the server. */
    private final class Process {
        private final SimPlug plug;
        private final SimExecutor executor = new SimExecutor(world.time(), world.random(), this::run);
        private final Connector connector = world.network().connector(address, UserIdentity.of("tatami"));
        private final List<Volume> volumes;
        private final SimulatedServer served;
        private final SimulatedNotices notices;
        private final long incarnation = world.random().nextLong() | 1;

        Process(Opened opened) {
            plug = opened.plug();
            volumes = opened.volumes();
            List<VolumeSet.ServedVolume> all = volumes.stream()
                    .map(volume -> new VolumeSet.ServedVolume(volume, "drive"))
                    .toList();
            notices = new SimulatedNotices(id, incarnation, world.time(), new SimNoticesLink(connector));
            served = new SimulatedServer(
                    id, settings, new VolumeSet(all), executor, connector, world.time(), notices::made);
            volumes.forEach(volume -> volume.onDamagedCopy(notices::found));
        }

        SimServer server() {
            return SimServer.this;
        }

        void begin() {
            world.network().serve(address, served.handlers());
            var unused = executor.scheduleWithFixedDelay(
                    notices::tick, NOTICES_MILLIS, NOTICES_MILLIS, TimeUnit.MILLISECONDS);
        }

        private void run(Runnable task) {
            CURRENT.set(this);
            try {
                task.run();
            } finally {
                CURRENT.remove();
            }
            lookAtDisks();
        }

        /** The power may have gone at an access of the task, or a disk may have failed. */
        private void lookAtDisks() {
            for (SimDrive drive : drives) {
                SimFaults.Fault struck = plug.isPulled() ? null : drive.takeStruck();
                if (struck == SimFaults.Fault.POWER_CUT) {
                    leave(true, world.awayNanos());
                } else if (struck == SimFaults.Fault.IO_ERROR) {
                    diskFailures++;
                    world.time().after(world.awayNanos(), () -> {
                        if (process == this && !world.chaos().isOver()) {
                            leave(false, world.awayNanos());
                        }
                    });
                }
            }
        }

        /** From here on nothing of the process has an effect. Its objects give back what they have, in their time. */
        void end() {
            plug.pull();
            world.network().crash(address);
            connector.close();
            executor.goOn();
            executor.shutdown();
            served.close();
            world.time().after(REMAINS_NANOS, () -> {
                Check.check(served.streams() == 0, "%d streams of a process that has ended are open", served.streams());
                volumes.forEach(Process::close);
            });
        }

        private static void close(Volume volume) {
            try {
                volume.close();
            } catch (TatamiException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
