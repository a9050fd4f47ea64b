/**
 * The program that {@code bin/tatami} starts: one tree of all commands, with their help, the completion of shells, and
 * the commands that need the plug-in. A command does its work in the module it belongs to. No package imports it.
 */
@NullMarked
package io.tatami.launch;

import org.jspecify.annotations.NullMarked;
