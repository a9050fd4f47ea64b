/**
 * Operations that delete unreferenced blocks and entries and follow what is out of the tree, and that record audits of
 * block servers. Imported by {@code meta.service.reclaim} and {@code meta.service.tree..}.
 */
@NullMarked
package io.tatami.meta.op.reclaim;

import org.jspecify.annotations.NullMarked;
