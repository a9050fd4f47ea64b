package io.tatami.crash;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.AttributeChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The random life of one client in a directory of its own: every kind of operation once a round, in random order, each
 * written down in a ledger before it is sent and once it is answered. Used by one thread.
 */
final class Workload {
    private static final long BLOCK_BYTES = 64 << 10;
    private static final int CONTENT_BYTES_MAX = 200_000;
    private static final int INLINE_BYTES_MAX = 9_000;
    private static final int NODES_MAX = 60;
    private static final long SLOW_MILLIS = 900;

    private final TatamiClient client;
    private final Ledger ledger;
    private final Random random;
    private final Observation observation;
    private final String root;
    private final List<Step> steps;

    /** One kind of operation. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** @param root of this client; made by the first round */
    Workload(TatamiClient client, Ledger ledger, Random random, String root) {
        this.client = client;
        this.ledger = ledger;
        this.random = random;
        this.root = root;
        this.observation = new Observation(client);
        this.steps = new ArrayList<>(List.of(
                this::createSmall,
                this::createLarge,
                this::overwrite,
                this::syncAtOddLengths,
                this::writeSlowly,
                this::writeThroughRename,
                this::abandonWriter,
                this::append,
                this::appendInNewBlock,
                this::truncate,
                this::renameFile,
                this::renameOverFile,
                this::renameRefused,
                this::makeDirectories,
                this::renameDirectory,
                this::deleteTree,
                this::deleteFile,
                this::changeFile,
                this::changeDirectory,
                this::concat,
                this::link,
                this::deleteMany,
                this::touch,
                this::look));
    }

    void round() throws IOException, InterruptedException {
        if (!ledger.tree().containsKey(root)) {
            makeDirectory(root);
        }
        // So that there is always a file of each kind, and another to exchange it with.
        createLarge();
        createLarge();
        Collections.shuffle(steps, random);
        for (Step step : steps) {
            step.run();
        }
        while (ledger.tree().size() > NODES_MAX) {
            deleteTree();
        }
    }

    private void does(String what, Consumer<TreeMap<String, Node>> change, Step step)
            throws IOException, InterruptedException {
        ledger.begin(what, change);
        step.run();
        ledger.acknowledge();
    }

    // ------------------------------------------------------------------------------------------ files

    private void createSmall() throws IOException, InterruptedException {
        create(freshPath("s"), random.nextInt(INLINE_BYTES_MAX), CreateSpec.DEFAULT);
    }

    private void createLarge() throws IOException, InterruptedException {
        create(freshPath("f"), CONTENT_BYTES_MAX / 4 + random.nextInt(CONTENT_BYTES_MAX), CreateSpec.DEFAULT);
    }

    private void overwrite() throws IOException, InterruptedException {
        create(anyFile(), random.nextInt(CONTENT_BYTES_MAX), CreateSpec.DEFAULT.withOverwrite(true));
    }

    private void create(String path, int length, CreateSpec spec) throws IOException, InterruptedException {
        FileWriter writer = open(path, spec);
        write(writer, path, bytes(length));
        close(writer, path);
    }

    private FileWriter open(String path, CreateSpec spec) throws IOException, InterruptedException {
        FileWriter[] opened = new FileWriter[1];
        does(
                "create " + path,
                tree -> tree.put(path, new Node.Content(0644, new byte[0], 0)),
                () -> opened[0] = client.create(TatamiPath.of(path), spec.withBlockSizeBytes(BLOCK_BYTES)));
        return opened[0];
    }

    /** Acknowledges nothing but that the bytes may be there from now on. */
    private void write(FileWriter writer, String path, byte[] more) throws IOException, InterruptedException {
        byte[] before = content(path).issued();
        byte[] all = Arrays.copyOf(before, before.length + more.length);
        System.arraycopy(more, 0, all, before.length, more.length);
        ledger.settle(with(path, content(path).issuing(all)));
        writer.write(more, 0, more.length);
    }

    private void sync(FileWriter writer, String path) throws IOException, InterruptedException {
        Node.Content durable = content(path).durable();
        does("hsync " + path, tree -> tree.put(path, durable), () -> writer.hsync(random.nextBoolean()));
    }

    private void close(FileWriter writer, String path) throws IOException, InterruptedException {
        Node.Content durable = content(path).durable();
        does("close " + path, tree -> tree.put(path, durable), writer::close);
    }

    private void syncAtOddLengths() throws IOException, InterruptedException {
        String path = freshPath("h");
        FileWriter writer = open(path, CreateSpec.DEFAULT);
        for (int i = 0; i < 4; i++) {
            write(writer, path, bytes(1 + random.nextInt(40_000)));
            sync(writer, path);
        }
        write(writer, path, bytes(random.nextInt(10_000)));
        close(writer, path);
    }

    /** Slower than the block server waits: the stream is lost, and the writer has to renew its block. */
    private void writeSlowly() throws IOException, InterruptedException {
        String path = freshPath("w");
        FileWriter writer = open(path, CreateSpec.DEFAULT);
        write(writer, path, bytes(20_001));
        sync(writer, path);
        Thread.sleep(SLOW_MILLIS);
        write(writer, path, bytes(5_003));
        close(writer, path);
    }

    private void writeThroughRename() throws IOException, InterruptedException {
        String path = freshPath("t");
        String moved = freshPath("t");
        FileWriter writer = open(path, CreateSpec.DEFAULT);
        write(writer, path, bytes(30_001));
        sync(writer, path);
        rename(path, moved, false);
        write(writer, moved, bytes(50_003));
        close(writer, moved);
    }

    private void abandonWriter() throws IOException, InterruptedException {
        String path = freshPath("a");
        FileWriter writer = open(path, CreateSpec.DEFAULT);
        write(writer, path, bytes(30_001));
        sync(writer, path);
        write(writer, path, bytes(10_001));
        writer.abort();
        does("recover " + path, tree -> {}, () -> observation.close(path));
        readBack(path);
    }

    /** Where the ledger leaves the length open, the first look settles it. */
    private void readBack(String path) throws IOException {
        byte[] found = observation.read(path);
        Node.Content expected = content(path);
        if (!expected.allows(found)) {
            throw new AssertionError(path + " has " + found.length + " bytes, and not from " + expected.lengthMin()
                    + " to " + expected.issued().length);
        }
        ledger.settle(with(path, Node.Content.closed(expected.mode(), found)));
    }

    private void append() throws IOException, InterruptedException {
        append(false);
    }

    private void appendInNewBlock() throws IOException, InterruptedException {
        append(true);
    }

    private void append(boolean newBlock) throws IOException, InterruptedException {
        String path = anyFile();
        FileWriter[] writer = new FileWriter[1];
        does("append " + path, tree -> {}, () -> writer[0] = client.append(TatamiPath.of(path), newBlock));
        write(writer[0], path, bytes(1 + random.nextInt(30_000)));
        sync(writer[0], path);
        write(writer[0], path, bytes(random.nextInt(30_000)));
        close(writer[0], path);
    }

    private void truncate() throws IOException, InterruptedException {
        String path = fileWhere(content -> content.issued().length > 20_000);
        Node.Content before = content(path);
        byte[] kept = Arrays.copyOf(before.issued(), random.nextInt(before.issued().length));
        does("truncate " + path, tree -> tree.put(path, Node.Content.closed(before.mode(), kept)), () -> {
            if (!client.truncate(TatamiPath.of(path), kept.length)) {
                observation.close(path);
            }
        });
    }

    private void concat() throws IOException, InterruptedException {
        String parent = parentOf(freshPath("c"));
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String path = parent + "/c" + Math.abs(random.nextInt());
            create(path, (int) BLOCK_BYTES * (1 + i % 2), CreateSpec.DEFAULT);
            parts.add(path);
        }
        byte[] all = new byte[0];
        for (String part : parts) {
            byte[] more = content(part).issued();
            int at = all.length;
            all = Arrays.copyOf(all, at + more.length);
            System.arraycopy(more, 0, all, at, more.length);
        }
        Node.Content joined = Node.Content.closed(content(parts.get(0)).mode(), all);
        List<TatamiPath> sources = List.of(TatamiPath.of(parts.get(1)), TatamiPath.of(parts.get(2)));
        does(
                "concat " + parts,
                tree -> {
                    parts.forEach(tree::remove);
                    tree.put(parts.get(0), joined);
                },
                () -> client.concat(TatamiPath.of(parts.get(0)), sources));
    }

    // ------------------------------------------------------------------------------------------ names

    private void renameFile() throws IOException, InterruptedException {
        for (int i = 0; i < 3; i++) {
            rename(anyFile(), freshPath("r"), false);
        }
    }

    private void renameOverFile() throws IOException, InterruptedException {
        String source = anyFile();
        createSmall();
        rename(source, fileWhere(content -> content != ledger.tree().get(source)), true);
    }

    private void rename(String source, String destination, boolean overwrite) throws IOException, InterruptedException {
        does(
                "rename " + source + " to " + destination,
                tree -> tree.put(destination, tree.remove(source)),
                () -> client.rename(TatamiPath.of(source), TatamiPath.of(destination), overwrite));
    }

    private void renameRefused() throws IOException, InterruptedException {
        String source = anyFile();
        createSmall();
        String taken = fileWhere(content -> content != ledger.tree().get(source));
        does("rename onto " + taken, tree -> {}, () -> {
            try {
                client.rename(TatamiPath.of(source), TatamiPath.of(taken), false);
                throw new AssertionError(source + " was renamed onto " + taken);
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.ALREADY_EXISTS) {
                    throw e;
                }
            }
        });
    }

    private void makeDirectories() throws IOException, InterruptedException {
        String top = anyDirectory() + "/d" + Math.abs(random.nextInt());
        List<String> made = List.of(top, top + "/e", top + "/e/g");
        does(
                "mkdirs " + top,
                tree -> made.forEach(path -> tree.put(path, new Node.Directory(0755))),
                () -> client.mkdirs(TatamiPath.of(made.get(2)), CreateSpec.modes(0755, 0), true));
        create(made.get(1) + "/f", random.nextInt(CONTENT_BYTES_MAX), CreateSpec.DEFAULT);
    }

    private void makeDirectory(String path) throws IOException, InterruptedException {
        does(
                "mkdir " + path,
                tree -> tree.put(path, new Node.Directory(0755)),
                () -> client.mkdirs(TatamiPath.of(path), CreateSpec.modes(0755, 0), true));
    }

    private void renameDirectory() throws IOException, InterruptedException {
        makeDirectories();
        String source = innerDirectory();
        String destination = root + "/m" + Math.abs(random.nextInt());
        does(
                "rename " + source + " to " + destination,
                tree -> {
                    for (String path : pathsOf(tree, source)) {
                        tree.put(destination + path.substring(source.length()), tree.remove(path));
                    }
                },
                () -> client.rename(TatamiPath.of(source), TatamiPath.of(destination), false));
    }

    private void deleteTree() throws IOException, InterruptedException {
        makeDirectories();
        String path = innerDirectory();
        delete(path, true);
    }

    private void deleteFile() throws IOException, InterruptedException {
        createLarge();
        delete(anyFile(), false);
    }

    private void delete(String path, boolean recursive) throws IOException, InterruptedException {
        does(
                "delete " + path,
                tree -> pathsOf(tree, path).forEach(tree::remove),
                () -> client.delete(TatamiPath.of(path), recursive));
    }

    /** Each for itself: a crash leaves any of them. */
    private void deleteMany() throws IOException, InterruptedException {
        List<String> paths = new ArrayList<>();
        List<TatamiPath> arguments = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String path = freshPath("b");
            create(path, random.nextInt(INLINE_BYTES_MAX * 4), CreateSpec.DEFAULT);
            paths.add(path);
            arguments.add(TatamiPath.of(path));
        }
        List<Consumer<TreeMap<String, Node>>> outcomes = new ArrayList<>();
        for (int subset = 1; subset < 1 << paths.size(); subset++) {
            int chosen = subset;
            outcomes.add(tree -> {
                for (int i = 0; i < paths.size(); i++) {
                    if (((chosen >> i) & 1) == 1) {
                        tree.remove(paths.get(i));
                    }
                }
            });
        }
        ledger.beginAnyOf("delete each of " + paths, outcomes);
        if (!client.bulkDelete(arguments).isEmpty()) {
            throw new AssertionError("some of " + paths + " were not deleted");
        }
        ledger.acknowledge();
    }

    private void link() throws IOException, InterruptedException {
        String path = freshPath("l");
        String target = anyFile();
        does(
                "link " + path,
                tree -> tree.put(path, new Node.Link(target)),
                () -> client.createSymlink(TatamiPath.of(path), target, false));
    }

    // ------------------------------------------------------------------------------------------ attributes, reads

    private void changeFile() throws IOException, InterruptedException {
        changeMode(anyFile(), 0600 + random.nextInt(0100));
    }

    private void changeDirectory() throws IOException, InterruptedException {
        changeMode(anyDirectory(), 0700 + random.nextInt(0100));
    }

    private void changeMode(String path, int mode) throws IOException, InterruptedException {
        does(
                "chmod " + path,
                tree -> tree.computeIfPresent(path, (same, node) -> node.withMode(mode)),
                () -> client.setAttributes(
                        TatamiPath.of(path),
                        AttributeChange.newBuilder().setMode(mode).build()));
    }

    /** An access time that is long past, so that the next open writes. */
    private void touch() throws IOException, InterruptedException {
        String path = anyFile();
        AttributeChange past =
                AttributeChange.newBuilder().setAccessedMillis(1_000).build();
        does("touch " + path, tree -> {}, () -> client.setAttributes(TatamiPath.of(path), past));
        check(path);
    }

    private void look() throws IOException {
        String path = anyFile();
        check(path);
        if (client.checksum(TatamiPath.of(path), Long.MAX_VALUE).lengthBytes()
                != content(path).issued().length) {
            throw new AssertionError("the checksum of " + path + " is of another length");
        }
        client.contentTotals(TatamiPath.of(root));
    }

    private void check(String path) throws IOException {
        if (!Arrays.equals(content(path).issued(), observation.read(path))) {
            throw new AssertionError(path + " reads other than it was written");
        }
    }

    // ------------------------------------------------------------------------------------------ choices

    private Node.Content content(String path) {
        return (Node.Content) Objects.requireNonNull(ledger.tree().get(path), path);
    }

    private TreeMap<String, Node> with(String path, Node node) {
        TreeMap<String, Node> changed = new TreeMap<>(ledger.tree());
        changed.put(path, node);
        return changed;
    }

    /** The path and all that is below it. */
    private static List<String> pathsOf(TreeMap<String, Node> tree, String path) {
        List<String> found = new ArrayList<>(List.of(path));
        // '0' is the character after '/'.
        found.addAll(tree.subMap(path + "/", path + "0").keySet());
        return found;
    }

    private String anyFile() {
        return fileWhere(content -> true);
    }

    private String fileWhere(Predicate<Node.Content> condition) {
        List<String> found = new ArrayList<>();
        ledger.tree().forEach((path, node) -> {
            if (node instanceof Node.Content content && condition.test(content)) {
                found.add(path);
            }
        });
        return found.get(random.nextInt(found.size()));
    }

    private String anyDirectory() {
        List<String> found = directories();
        return found.get(random.nextInt(found.size()));
    }

    private String innerDirectory() {
        List<String> found = directories();
        found.remove(root);
        return found.get(random.nextInt(found.size()));
    }

    private List<String> directories() {
        List<String> found = new ArrayList<>();
        ledger.tree().forEach((path, node) -> {
            if (node instanceof Node.Directory) {
                found.add(path);
            }
        });
        return found;
    }

    private String freshPath(String prefix) {
        return anyDirectory() + "/" + prefix + Math.abs(random.nextInt());
    }

    private static String parentOf(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
