/**
 * A block server as a whole: its streams, its commands, its reports and its place in a cluster, put together from the
 * packages below. Imported only by the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.block.service;

import org.jspecify.annotations.NullMarked;
