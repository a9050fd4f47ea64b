package io.tatami.hadoop.random;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Operations on files' bytes. */
final class FileOperations {
    private static final int READ_BYTES_MAX = 100_000;

    private final Draw draw;

    FileOperations(Draw draw) {
        this.draw = draw;
    }

    Operation create() {
        String path = draw.chance(0.2) ? draw.file() : draw.newPath();
        return created("create", path, draw.creation(true), draw.chance(0.3) ? draw.bytes() : new byte[0]);
    }

    Operation createWithoutParents() {
        return created("createNonRecursive", draw.newPath(), draw.creation(false), new byte[0]);
    }

    /** In the place of a file, with bytes. */
    Operation replace() {
        return created("replace", draw.file(), draw.creation(true), draw.bytes());
    }

    private Operation created(String kind, String path, Subject.Creation how, byte[] bytes) {
        return named(
                kind,
                path,
                how + " " + told(bytes),
                subject -> TreeOperations.done(() -> subject.create(path, how, bytes)));
    }

    Operation append() {
        String path = draw.file();
        byte[] bytes = draw.bytes();
        return named("append", path, told(bytes), subject -> TreeOperations.done(() -> subject.append(path, bytes)));
    }

    Operation truncate() {
        String path = draw.file();
        long length = draw.of(List.of(0, 1, 50, 4096, 16_384, draw.below(20_000)));
        return named(
                "truncate",
                path,
                String.valueOf(length),
                subject -> TreeOperations.done(() -> subject.truncate(path, length)));
    }

    Operation read() {
        String path = draw.file();
        return named("read", path, "", subject -> told(subject.read(path, 0, READ_BYTES_MAX)));
    }

    Operation readAt() {
        String path = draw.file();
        long offset = 1L + draw.below(20_000);
        int length = 1 + draw.below(5_000);
        return named("readAt", path, offset + " " + length, subject -> told(subject.read(path, offset, length)));
    }

    Operation checksum() {
        String path = draw.file();
        return named("checksum", path, "", subject -> subject.checksum(path));
    }

    Operation concat() {
        String target = draw.file();
        List<String> sources = new ArrayList<>();
        for (int count = 1 + draw.below(2); count > 0; count--) {
            sources.add(draw.chance(0.9) ? draw.fileBeside(target) : draw.file());
        }
        return named(
                "concat",
                target,
                sources.toString(),
                subject -> TreeOperations.done(() -> subject.concat(target, sources)));
    }

    private Operation named(String kind, String path, String argument, Operation.Action action) {
        return new Operation(kind, draw.caller(path), kind + " " + path + " " + argument, action);
    }

    static String told(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return bytes.length + " bytes of " + Long.toHexString(crc.getValue());
    }
}
