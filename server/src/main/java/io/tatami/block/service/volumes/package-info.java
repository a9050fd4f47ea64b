/**
 * The volumes of one server as one, how many streams each has, and the wait for their end. Imported by the rest of the
 * service; imports none of it.
 */
@NullMarked
package io.tatami.block.service.volumes;

import org.jspecify.annotations.NullMarked;
