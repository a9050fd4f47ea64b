/**
 * What is left when files and directories are gone, and what servers hold that nobody knows of. Imported by
 * {@code io.tatami.meta.service.reclaim}.
 */
@NullMarked
package io.tatami.meta.op.reclaim;

import org.jspecify.annotations.NullMarked;
