package io.tatami.block.device;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Looks whether a disk belongs to somebody before it is formatted: mounted, swapped on, held by another driver,
 * partitioned, or bearing the mark of a file system.
 */
public final class DeviceInspector {
    private final Path proc;
    private final Path sys;

    /** Looks at this machine's {@code /proc} and {@code /sys}. */
    public DeviceInspector() {
        this(Path.of("/proc"), Path.of("/sys"));
    }

    DeviceInspector(Path proc, Path sys) {
        this.proc = proc;
        this.sys = sys;
    }

    /**
     * What speaks against formatting: each a sentence without its subject, such as "is mounted on /data". The first
     * kind, use at this moment, must not be overridden; the second, old contents, may be by the user's explicit word.
     */
    public record Findings(List<String> uses, List<String> contents) {
        /** @throws TatamiException IN_USE, or ALREADY_EXISTS for contents unless {@code force} */
        public void refuse(Path path, boolean force) throws TatamiException {
            if (!uses.isEmpty()) {
                throw new TatamiException(
                        ErrorCode.IN_USE,
                        path + " " + String.join(" and ", uses) + "; release it first, or choose another device");
            }
            if (!contents.isEmpty() && !force) {
                throw new TatamiException(
                        ErrorCode.ALREADY_EXISTS,
                        path + " " + String.join(" and ", contents) + "; 'format --force' would destroy its data");
            }
        }
    }

    /** Inspects a block device or file. */
    public Findings inspect(Path path) throws TatamiException {
        try {
            Path real = path.toRealPath();
            List<String> uses = new ArrayList<>();
            List<String> contents = new ArrayList<>();
            addMounts(real, uses);
            addHolders(real, uses);
            addPartitions(real, contents);
            addSignatures(real, contents);
            return new Findings(List.copyOf(uses), List.copyOf(contents));
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot inspect " + path + ": " + Causes.inWords(e), e);
        }
    }

    private void addMounts(Path device, List<String> uses) throws IOException {
        for (String line : linesOf(proc.resolve("mounts"))) {
            List<String> columns = List.of(line.split(" ", -1));
            if (columns.size() > 1 && isDeviceOrPartition(columns.get(0), device)) {
                uses.add("is mounted on " + columns.get(1) + " (" + columns.get(0) + ")");
            }
        }
        for (String line : linesOf(proc.resolve("swaps"))) {
            String swap = List.of(line.split("\\s+", -1)).get(0);
            if (isDeviceOrPartition(swap, device)) {
                uses.add("is swap space in use (" + swap + ")");
            }
        }
    }

    /** Partitions of a disk have directories of their own below the disk's, each with a file named partition. */
    private void addPartitions(Path device, List<String> contents) throws IOException {
        for (Path partition : partitionsOf(device)) {
            contents.add("has the partition " + partition.getFileName());
        }
    }

    /** Device mapper, md and others are listed as holders of the disk or of a partition. */
    private void addHolders(Path device, List<String> uses) throws IOException {
        List<Path> directories = new ArrayList<>(partitionsOf(device));
        directories.add(blockDirectory(device));
        for (Path directory : directories) {
            for (Path holder : childrenOf(directory.resolve("holders"))) {
                uses.add("is held by " + holder.getFileName());
            }
        }
    }

    private static void addSignatures(Path device, List<String> contents) throws IOException {
        byte[] head;
        try (InputStream input = Files.newInputStream(device)) {
            head = input.readNBytes(Signature.PROBE_BYTES);
        }
        for (Signature signature : Signature.KNOWN) {
            String finding = "holds " + signature.owner();
            if (signature.isIn(head) && !contents.contains(finding)) {
                contents.add(finding);
            }
        }
    }

    private boolean isDeviceOrPartition(String source, Path device) throws IOException {
        if (!source.startsWith("/")) {
            return false;
        }
        Path other = Path.of(source);
        Path real = Files.exists(other) ? other.toRealPath() : other;
        if (real.equals(device)) {
            return true;
        }
        for (Path partition : partitionsOf(device)) {
            if (device.resolveSibling(partition.getFileName()).equals(real)) {
                return true;
            }
        }
        return false;
    }

    private List<Path> partitionsOf(Path device) throws IOException {
        List<Path> partitions = new ArrayList<>();
        for (Path child : childrenOf(blockDirectory(device))) {
            if (Files.exists(child.resolve("partition"))) {
                partitions.add(child);
            }
        }
        return partitions;
    }

    /** Of a plain file whose name is that of a disk, too: then it is not below {@code /dev}, and has none. */
    private Path blockDirectory(Path device) {
        Path name = device.startsWith("/dev") ? device.getFileName() : Path.of("no-device");
        return sys.resolve("class/block").resolve(name);
    }

    private static List<Path> childrenOf(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(directory)) {
            return children.sorted().toList();
        }
    }

    private static List<String> linesOf(Path file) throws IOException {
        return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
    }
}
