/**
 * A namespace group, its shards and their clients on one thread and in virtual time: a seed replays exactly, and
 * thousands run in a minute. Imported by nobody.
 */
@NullMarked
package io.tatami.meta.service.sim;

import org.jspecify.annotations.NullMarked;
