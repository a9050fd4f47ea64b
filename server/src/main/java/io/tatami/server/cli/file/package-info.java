/**
 * The commands about files: what one is made of, what a tree holds, which files are being written, and the recovery of
 * a lease. Imports {@code server.cli.option} and {@code server.status}. Imported by {@code server.cli}.
 */
@NullMarked
package io.tatami.server.cli.file;

import org.jspecify.annotations.NullMarked;
