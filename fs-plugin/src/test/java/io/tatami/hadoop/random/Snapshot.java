package io.tatami.hadoop.random;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** All that the superuser sees below a directory, and in it, by path. */
record Snapshot(Map<String, String> lines) {
    static Snapshot of(Subject subject, String path) throws IOException {
        Snapshot snapshot = new Snapshot(new TreeMap<>());
        snapshot.add(subject, subject.status(path));
        snapshot.addChildren(subject, path);
        return snapshot;
    }

    private void addChildren(Subject subject, String path) throws IOException {
        for (Told child : subject.list(path)) {
            add(subject, child);
            if (child.kind() == Told.Kind.DIRECTORY) {
                addChildren(subject, child.path());
            }
        }
    }

    private void add(Subject subject, Told told) throws IOException {
        StringBuilder line = new StringBuilder(told.toString());
        switch (told.kind()) {
            case LINK -> line.append(" to ").append(subject.linkTarget(told.path()));
            case FILE -> {
                byte[] bytes = told.length() == 0 ? new byte[0] : subject.read(told.path(), 0, (int) told.length() + 1);
                line.append(' ').append(FileOperations.told(bytes)).append(more(subject, told));
            }
            case DIRECTORY -> line.append(more(subject, told));
        }
        lines.put(told.path(), line.toString());
    }

    private static String more(Subject subject, Told told) throws IOException {
        String acl = told.hasAcl() ? subject.acl(told.path()).toString() : "";
        return " " + acl + AttributeOperations.told(subject.xAttrs(told.path()));
    }

    /** The lines that are not alike, both of each; empty where all are. */
    String differenceTo(Snapshot other) {
        TreeSet<String> paths = new TreeSet<>(lines.keySet());
        paths.addAll(other.lines.keySet());
        StringBuilder difference = new StringBuilder();
        for (String path : paths) {
            String here = lines.getOrDefault(path, path + " nothing");
            String there = other.lines.getOrDefault(path, path + " nothing");
            if (!here.equals(there)) {
                difference.append("\n  ").append(here).append("\n  ").append(there);
            }
        }
        return difference.toString();
    }
}
