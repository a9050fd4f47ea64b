package io.tatami.block.cache;

/**
 * Where a plan comes from; for people.
 *
 * @param user who announced it first
 * @param about what the client says of it, such as a path; empty for nothing
 */
public record PlanOrigin(String user, String about) {}
