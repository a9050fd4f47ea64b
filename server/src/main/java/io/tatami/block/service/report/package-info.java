/**
 * How the volumes are: scrubs and other passes over them, slow ones, and what readers say of damage. Imported by the
 * server alone.
 */
@NullMarked
package io.tatami.block.service.report;

import org.jspecify.annotations.NullMarked;
