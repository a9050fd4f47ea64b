/**
 * From a request to a batch, its log entry and the reply: the loop of a group, the groups of a process, and the calls
 * between groups. Imported by the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.meta.service;

import org.jspecify.annotations.NullMarked;
