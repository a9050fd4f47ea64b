/**
 * Pure planning over facts that are handed in: the choice of block servers for new blocks, and which copies of a block
 * are made and given up. Imports {@code base} only. Imported by {@code meta.op.write} and {@code meta.service.copies}.
 */
@NullMarked
package io.tatami.cluster;

import org.jspecify.annotations.NullMarked;
