package io.tatami.client.model;

/**
 * How far a cluster is with holding its metadata on several servers.
 *
 * @param replicas servers that are to hold each group; 1 for a log on one server
 * @param groupsDone groups that so many servers are members of
 * @param groupsTotal the namespace group and all shards
 * @param state what is done now, or why nothing goes on; empty where nothing is under way
 */
public record ReplicationProgress(int replicas, int groupsDone, int groupsTotal, String state) {
    public boolean isDone() {
        return groupsDone == groupsTotal;
    }
}
