/**
 * Copies of blocks on several servers in virtual time: the real client, write and read sessions, volumes, operations
 * and recoveries, under faults that a seed chooses. Nobody imports this.
 */
@NullMarked
package io.tatami.copies;

import org.jspecify.annotations.NullMarked;
