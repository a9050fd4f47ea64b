package io.tatami.benchmarks.workload.affinity;

/** What each task of a job does. */
enum AffinityKind {
    READ("read"),
    /** Until all files are closed. */
    WRITE("write"),
    /** Until all nodes have written their file systems out, too, which only HDFS needs. */
    WRITE_SYNCED("write-synced");

    private final String word;

    AffinityKind(String word) {
        this.word = word;
    }

    @Override
    public String toString() {
        return word;
    }
}
