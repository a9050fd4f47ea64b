/**
 * Requests about single blocks and access plans: recovery, deletion, checksums and audits. Imported by
 * {@code block.service}.
 */
@NullMarked
package io.tatami.block.service.command;

import org.jspecify.annotations.NullMarked;
