/**
 * The choice of block servers for new blocks, as a pure function. Imports {@code base} only. Imported by
 * {@code meta.op.write}.
 */
@NullMarked
package io.tatami.cluster;

import org.jspecify.annotations.NullMarked;
