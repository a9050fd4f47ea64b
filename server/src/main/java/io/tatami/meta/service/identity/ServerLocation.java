package io.tatami.meta.service.identity;

import java.nio.file.Path;

/**
 * The directory of a metadata server and its address.
 *
 * @param host the name at which clients and other servers reach it, and the address that it binds
 * @param port 0 for any
 */
public record ServerLocation(Path directory, String host, int port) {}
