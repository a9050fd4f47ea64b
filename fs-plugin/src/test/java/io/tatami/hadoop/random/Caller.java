package io.tatami.hadoop.random;

import java.util.List;
import java.util.Set;

/** Somebody who does operations, and what the permission checks know of him. */
record Caller(String name, Set<String> groups, boolean superuser) {
    /** As in {@code core-site.xml} of the tests, from which HDFS and Tatami have them. */
    static final List<Caller> ORDINARY = List.of(
            new Caller("alice", Set.of("staff", "red"), false),
            new Caller("bob", Set.of("staff", "blue"), false),
            new Caller("carol", Set.of("red"), false),
            new Caller("dave", Set.of("blue", "green"), false),
            new Caller("erin", Set.of("green"), false));

    static final List<String> GROUPS = List.of("staff", "red", "blue", "green");

    /** Who started both clusters. */
    static final Caller SUPERUSER = new Caller(System.getProperty("user.name"), Set.of(), true);

    @Override
    public String toString() {
        return name;
    }
}
