/**
 * Operations that delete unreferenced blocks and entries, and that record audits of block servers. Imported by
 * {@code meta.service.reclaim}.
 */
@NullMarked
package io.tatami.meta.op.reclaim;

import org.jspecify.annotations.NullMarked;
