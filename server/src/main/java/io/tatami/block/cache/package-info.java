/**
 * The cache tier: a faster device that holds copies of what readers said they will read next, and the plans that say
 * so. Nothing here is durable, and nothing depends on it: without it the same bytes come from the volumes. Imports
 * {@code block.volume} and {@code block.device}.
 */
@NullMarked
package io.tatami.block.cache;

import org.jspecify.annotations.NullMarked;
