package io.tatami.older;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A server's directory as a ZIP file. Long runs of zeros become holes again, as in the volume file it was. */
final class RecordedDirectory {
    private static final int PAGE_BYTES = 4 << 10;

    private RecordedDirectory() {}

    static void pack(Path directory, Path zip) throws IOException {
        try (OutputStream file = Files.newOutputStream(zip);
                ZipOutputStream out = new ZipOutputStream(file);
                Stream<Path> all = Files.walk(directory)) {
            out.setLevel(Deflater.BEST_COMPRESSION);
            List<Path> paths =
                    all.filter(path -> !path.equals(directory)).sorted().toList();
            for (Path path : paths) {
                boolean isDirectory = Files.isDirectory(path);
                out.putNextEntry(new ZipEntry(directory.relativize(path) + (isDirectory ? "/" : "")));
                if (!isDirectory) {
                    Files.copy(path, out);
                }
                out.closeEntry();
            }
        }
    }

    /** @param directory is made */
    static void unpack(InputStream zip, Path directory) throws IOException {
        Files.createDirectories(directory);
        try (ZipInputStream in = new ZipInputStream(zip)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path path = directory.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    copy(in, path);
                }
            }
        }
    }

    private static void copy(InputStream in, Path path) throws IOException {
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            byte[] zeros = new byte[PAGE_BYTES];
            long at = 0;
            for (byte[] page = in.readNBytes(PAGE_BYTES); page.length > 0; page = in.readNBytes(PAGE_BYTES)) {
                if (page.length < PAGE_BYTES || !Arrays.equals(page, zeros)) {
                    write(out, ByteBuffer.wrap(page), at);
                }
                at += page.length;
            }
            if (at > out.size()) {
                write(out, ByteBuffer.allocate(1), at - 1);
            }
        }
    }

    private static void write(FileChannel out, ByteBuffer bytes, long at) throws IOException {
        long offset = at;
        while (bytes.hasRemaining()) {
            offset += out.write(bytes, offset);
        }
    }
}
