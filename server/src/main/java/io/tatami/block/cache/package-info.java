/**
 * The cache tier: copies of planned units on a faster device, and the access plans by which they are chosen. It keeps
 * nothing durably. Every byte on it can be read from a volume instead. Imports {@code block.volume} and
 * {@code block.device}. Imported by {@code block.service}, {@code block.service.command}, {@code block.service.volumes}
 * and {@code server.node}.
 */
@NullMarked
package io.tatami.block.cache;

import org.jspecify.annotations.NullMarked;
