package io.tatami.server.lab;

/** Which file systems run on the nodes of a lab. */
public enum LabFileSystems {
    TATAMI,
    HDFS,
    BOTH;

    public boolean hasTatami() {
        return this != HDFS;
    }

    public boolean hasHdfs() {
        return this != TATAMI;
    }
}
