package io.tatami.server.lab.host;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A sparse file as a block device, which stays until it is detached, whatever becomes of this process. Needs root.
 *
 * @param device such as {@code /dev/loop3}
 * @param file as the kernel tells it
 */
public record LoopDisk(Path device, String file) {
    private static final long SECTOR_BYTES = 4096;
    private static final String GONE = " (deleted)";

    /** @param file is made; must not be there */
    public static LoopDisk attach(Path file, long bytes) throws IOException, InterruptedException {
        Files.createFile(file);
        setLength(file, bytes);
        String device = Program.run("losetup", "--find", "--show", "--direct-io=on", file.toString());
        return new LoopDisk(Path.of(device), file.toString());
    }

    /** The device of a file. */
    public static Optional<LoopDisk> of(Path file) throws IOException, InterruptedException {
        return all().stream().filter(disk -> disk.file.equals(file.toString())).findFirst();
    }

    /** The devices whose files are, or were, in a directory or in one below. */
    public static List<LoopDisk> below(Path directory) throws IOException, InterruptedException {
        return all().stream()
                .filter(disk -> disk.file.startsWith(directory + "/"))
                .toList();
    }

    private static List<LoopDisk> all() throws IOException, InterruptedException {
        return Program.run("losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE")
                .lines()
                .map(line -> line.split(" ", 2))
                .filter(words -> words.length == 2)
                .map(words -> new LoopDisk(Path.of(words[0]), withoutGone(words[1].strip())))
                .toList();
    }

    private static String withoutGone(String file) {
        return file.endsWith(GONE) ? file.substring(0, file.length() - GONE.length()) : file;
    }

    /** Major and minor number, as in {@code 7:3}. */
    public String number() throws IOException {
        return Files.readString(Path.of("/sys/block", String.valueOf(device.getFileName()), "dev"))
                .strip();
    }

    private static void setLength(Path file, long bytes) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.setLength(bytes);
        }
    }

    /** All of it reads as zeros afterwards, and takes no space; it has that length, also where it was shrunk. */
    public void wipe(long bytes) throws IOException, InterruptedException {
        resize(bytes);
        Program.run("blkdiscard", device.toString());
    }

    /** Leaves the first sector alone: all else is lost, reads of it find the end, and writes fail. */
    public void shrink() throws IOException, InterruptedException {
        resize(SECTOR_BYTES);
    }

    private void resize(long bytes) throws IOException, InterruptedException {
        setLength(Path.of(file), bytes);
        Program.run("losetup", "--set-capacity", device.toString());
    }

    /** Ends the device, and leaves the file. */
    public void detach() throws IOException, InterruptedException {
        Program.run("losetup", "--detach", device.toString());
    }
}
