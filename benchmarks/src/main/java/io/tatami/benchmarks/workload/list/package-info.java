/** {@code tatami bench list}: at what rate a directory of millions is listed, from its beginning to its end. */
@NullMarked
package io.tatami.benchmarks.workload.list;

import org.jspecify.annotations.NullMarked;
