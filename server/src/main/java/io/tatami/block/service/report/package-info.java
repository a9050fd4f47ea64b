/**
 * The health of the volumes: scrubs and other background passes, slow devices, and reports of damage by readers.
 * Imported by {@code block.service}.
 */
@NullMarked
package io.tatami.block.service.report;

import org.jspecify.annotations.NullMarked;
