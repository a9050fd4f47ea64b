/**
 * The room of a volume: extents, which of them are free, and which moves of short blocks make free runs longer. Imports
 * none of the volume's other packages.
 */
@NullMarked
package io.tatami.block.volume.space;

import org.jspecify.annotations.NullMarked;
