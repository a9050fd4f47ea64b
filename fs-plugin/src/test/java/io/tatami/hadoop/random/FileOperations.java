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

    RandomOperation create() {
        String path = draw.chance(0.2) ? draw.file() : draw.newPath();
        return created("create", path, draw.creation(true), draw.chance(0.3) ? draw.bytes() : new byte[0]);
    }

    RandomOperation createWithoutParents() {
        return created("createNonRecursive", draw.newPath(), draw.creation(false), new byte[0]);
    }

    /** In the place of a file, with bytes. */
    RandomOperation replace() {
        return created("replace", draw.file(), draw.creation(true), draw.bytes());
    }

    private RandomOperation created(String kind, String path, Subject.Creation how, byte[] bytes) {
        return named(
                kind,
                path,
                how + " " + told(bytes),
                subject -> TreeOperations.done(() -> subject.create(path, how, bytes)));
    }

    RandomOperation append() {
        String path = draw.file();
        byte[] bytes = draw.bytes();
        return named("append", path, told(bytes), subject -> TreeOperations.done(() -> subject.append(path, bytes)));
    }

    RandomOperation truncate() {
        String path = draw.file();
        long length = draw.of(List.of(0, 1, 50, 4096, 16_384, draw.below(20_000)));
        return named(
                "truncate",
                path,
                String.valueOf(length),
                subject -> TreeOperations.done(() -> subject.truncate(path, length)));
    }

    RandomOperation read() {
        String path = draw.file();
        return named("read", path, "", subject -> told(subject.read(path, 0, READ_BYTES_MAX)));
    }

    RandomOperation readAt() {
        String path = draw.file();
        long offset = 1L + draw.below(20_000);
        int length = 1 + draw.below(5_000);
        return named("readAt", path, offset + " " + length, subject -> told(subject.read(path, offset, length)));
    }

    RandomOperation checksum() {
        String path = draw.file();
        return named("checksum", path, "", subject -> subject.checksum(path));
    }

    RandomOperation concat() {
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

    private RandomOperation named(String kind, String path, String argument, RandomOperation.Action action) {
        return new RandomOperation(kind, draw.caller(path), kind + " " + path + " " + argument, action);
    }

    static String told(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return bytes.length + " bytes of " + Long.toHexString(crc.getValue());
    }
}
