/** Operations on the block servers that are members of the cluster. Imported by {@code meta.service.cluster}. */
@NullMarked
package io.tatami.meta.op.servers;

import org.jspecify.annotations.NullMarked;
