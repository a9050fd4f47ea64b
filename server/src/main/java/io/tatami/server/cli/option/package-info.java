/**
 * Arguments, rules and exit codes that commands share. Imports no package of commands. Imported by
 * {@code benchmarks.harness.report}, {@code launch}, {@code server.cli}, {@code server.cli.admin} and
 * {@code server.cli.file}.
 */
@NullMarked
package io.tatami.server.cli.option;

import org.jspecify.annotations.NullMarked;
