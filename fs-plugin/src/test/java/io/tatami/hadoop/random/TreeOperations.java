package io.tatami.hadoop.random;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.permission.FsAction;

/** Operations on names and on what is told of them. */
final class TreeOperations {
    private final Draw draw;

    TreeOperations(Draw draw) {
        this.draw = draw;
    }

    RandomOperation mkdirs() {
        String path = draw.newPath();
        int mode = draw.mode();
        return named("mkdirs", path, octal(mode), subject -> String.valueOf(subject.mkdirs(path, mode)));
    }

    RandomOperation mkdir() {
        String path = draw.newPath();
        int mode = draw.mode();
        return named("mkdir", path, octal(mode), subject -> done(() -> subject.mkdir(path, mode)));
    }

    RandomOperation delete() {
        String path = draw.below();
        return named("delete", path, "", subject -> String.valueOf(subject.delete(path, false)));
    }

    RandomOperation deleteAll() {
        String path = draw.below();
        return named("deleteAll", path, "", subject -> String.valueOf(subject.delete(path, true)));
    }

    RandomOperation rename() {
        String source = draw.below();
        String destination = draw.chance(0.6) ? draw.newPath() : draw.path();
        return named("rename", source, destination, subject -> String.valueOf(subject.rename(source, destination)));
    }

    RandomOperation renameStrictly() {
        String source = draw.below();
        String destination = draw.chance(0.6) ? draw.newPath() : draw.below();
        return named(
                "renameStrictly",
                source,
                destination,
                subject -> done(() -> subject.renameStrictly(source, destination, false)));
    }

    RandomOperation renameOverwriting() {
        String source = draw.below();
        String destination = draw.chance(0.4) ? draw.newPath() : draw.below();
        return named(
                "renameOverwriting",
                source,
                destination,
                subject -> done(() -> subject.renameStrictly(source, destination, true)));
    }

    RandomOperation symlink() {
        String link = draw.newPath();
        String target = draw.chance(0.3) ? draw.name() : draw.path();
        boolean parents = draw.chance(0.3);
        return named(
                "symlink",
                link,
                target + (parents ? " with parents" : ""),
                subject -> done(() -> subject.symlink(target, link, parents)));
    }

    RandomOperation status() {
        String path = draw.path();
        return named("status", path, "", subject -> subject.status(path).toString());
    }

    RandomOperation linkStatus() {
        String path = draw.link();
        return named("linkStatus", path, "", subject -> subject.linkStatus(path).toString());
    }

    RandomOperation linkTarget() {
        String path = draw.link();
        return named("linkTarget", path, "", subject -> subject.linkTarget(path));
    }

    RandomOperation list() {
        String path = draw.directory();
        return named("list", path, "", subject -> told(subject.list(path)));
    }

    RandomOperation totals() {
        String path = draw.directory();
        return named("totals", path, "", subject -> subject.totals(path).toString());
    }

    RandomOperation access() {
        String path = draw.path();
        FsAction wanted = draw.action();
        return named("access", path, wanted.SYMBOL, subject -> done(() -> subject.access(path, wanted)));
    }

    private RandomOperation named(String kind, String path, String argument, RandomOperation.Action action) {
        return new RandomOperation(kind, draw.caller(path), kind + " " + path + " " + argument, action);
    }

    /** Something that answers nothing. */
    interface Change {
        void run() throws IOException;
    }

    static String done(Change change) throws IOException {
        change.run();
        return Outcome.DONE;
    }

    static String octal(int mode) {
        return Integer.toOctalString(mode);
    }

    private static String told(List<Told> all) {
        return all.stream().map(Told::toString).collect(Collectors.joining("\n", "[", "]"));
    }
}
