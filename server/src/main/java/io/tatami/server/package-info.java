/**
 * Main classes and wiring: the only package that sees both the metadata server and the block server. Imported by the
 * tests and benchmarks that start real servers, and by nothing else.
 */
@NullMarked
package io.tatami.server;

import org.jspecify.annotations.NullMarked;
