/**
 * Recorded histories of a name space, and a checker that says whether they are linearizable. Knows nothing of Tatami;
 * for the tests of every module.
 */
@NullMarked
package io.tatami.linear.check;

import org.jspecify.annotations.NullMarked;
