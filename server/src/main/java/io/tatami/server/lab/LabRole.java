package io.tatami.server.lab;

import java.util.Locale;

/** A kind of server on a node of a lab. */
public enum LabRole {
    METADATA,
    BLOCK,
    /** Of HDFS, on the first node. */
    NAMENODE,
    /** Of HDFS, on every node. */
    DATANODE;

    /** In lower case. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isHdfs() {
        return this == NAMENODE || this == DATANODE;
    }
}
