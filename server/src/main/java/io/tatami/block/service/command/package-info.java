/**
 * Requests about single blocks and about access plans: recovery, deletion, checksums, audits. Imported by the server
 * alone.
 */
@NullMarked
package io.tatami.block.service.command;

import org.jspecify.annotations.NullMarked;
