/**
 * {@code tatami admin dump}: what all servers of a cluster tell of themselves, in one archive. Imports
 * {@code server.status}. Imported by {@code server.cli.admin}.
 */
@NullMarked
package io.tatami.server.dump;

import org.jspecify.annotations.NullMarked;
