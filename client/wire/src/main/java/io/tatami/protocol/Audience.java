package io.tatami.protocol;

/** Who may call a method. */
public enum Audience {
    /** Every user; what the request is about has permissions of its own. */
    USERS,
    /** Who runs the cluster: the superuser, and servers that act as that user. */
    SUPERUSER,
    /** Servers of the cluster, which show a credential that only they can make. */
    SERVERS
}
