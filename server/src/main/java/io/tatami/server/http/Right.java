package io.tatami.server.http;

/** What a person or a program needs in order to be answered. */
public enum Right {
    /** Nothing: for supervisors and scrapers. */
    NONE,
    /** To read pages, in the name of {@code tatami.http.user}. */
    READ,
    /** To have been invited by a superuser. */
    ADMINISTER
}
