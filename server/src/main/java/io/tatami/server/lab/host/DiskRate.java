package io.tatami.server.lab.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a block device reads and how much it writes in a second; held by the root group of cgroup v1's {@code blkio}
 * controller. Of the root group because that version attributes what the page cache writes back to no other one.
 *
 * @param bytesPerSecond 0 for as much as it can
 */
public record DiskRate(long bytesPerSecond) {
    public static final DiskRate UNLIMITED = new DiskRate(0);

    private static final Path GROUP = Path.of("/sys/fs/cgroup/blkio");
    private static final Path READ = GROUP.resolve("blkio.throttle.read_bps_device");
    private static final Path WRITE = GROUP.resolve("blkio.throttle.write_bps_device");
    private static final long BYTES_MIN = 64_000;
    private static final long BYTES_MAX = 100_000_000_000L;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})([kmg])b");

    /** @throws TatamiException INVALID_ARGUMENT */
    public static DiskRate parse(String text) throws TatamiException {
        if (text.equals("off")) {
            return UNLIMITED;
        }
        Matcher matcher = TEXT.matcher(text.toLowerCase(Locale.ROOT));
        long bytes = matcher.matches() ? bytes(matcher) : 0;
        if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + text + "' is no rate of a disk; write 500kB, 5MB or 1GB, from 64kB to 100GB, or off");
        }
        return new DiskRate(bytes);
    }

    private static long bytes(Matcher matcher) {
        long factor = switch (matcher.group(2)) {
            case "k" -> 1_000;
            case "m" -> 1_000_000;
            default -> 1_000_000_000;
        };
        return Long.parseLong(matcher.group(1)) * factor;
    }

    /** Whether this machine has that controller, and this process may use it. */
    public static boolean isAvailable() {
        return Files.isWritable(READ) && Files.isWritable(WRITE);
    }

    /** The file to which a process writes its id to be of the group that is limited. */
    public static Path processes() {
        return GROUP.resolve("cgroup.procs");
    }

    /**
     * Sets the rate of a device. Without the controller only {@link #UNLIMITED} can be set.
     *
     * @throws TatamiException UNSUPPORTED
     */
    public void apply(LoopDisk disk) throws IOException {
        if (isAvailable()) {
            // The kernel takes 0 for no limit.
            Files.writeString(READ, disk.number() + " " + bytesPerSecond);
            Files.writeString(WRITE, disk.number() + " " + bytesPerSecond);
        } else if (bytesPerSecond > 0) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "the rate of a disk cannot be limited: this machine has no blkio controller of cgroup v1 at "
                            + GROUP + "; leave --disk-rate out");
        }
    }

    /** What the kernel says of reading. */
    public static DiskRate reading(LoopDisk disk) throws IOException {
        return shown(READ, disk);
    }

    /** What the kernel says of writing. */
    public static DiskRate writing(LoopDisk disk) throws IOException {
        return shown(WRITE, disk);
    }

    private static DiskRate shown(Path file, LoopDisk disk) throws IOException {
        List<String> limits = isAvailable() ? Files.readAllLines(file) : List.of();
        String begin = disk.number() + " ";
        return limits.stream()
                .filter(line -> line.startsWith(begin))
                .findFirst()
                .map(line -> new DiskRate(
                        Long.parseLong(line.substring(begin.length()).strip())))
                .orElse(UNLIMITED);
    }

    /** As {@link #parse} takes it, where it came from there. */
    @Override
    public String toString() {
        if (bytesPerSecond == 0) {
            return "off";
        }
        return bytesPerSecond % 1_000_000 == 0 ? bytesPerSecond / 1_000_000 + "MB" : bytesPerSecond / 1_000 + "kB";
    }
}
