/**
 * Arguments, rules and exit codes that commands share. Imports no package of commands. Imported by {@code launch},
 * {@code server.cli} and {@code server.cli.admin}.
 */
@NullMarked
package io.tatami.server.cli.option;

import org.jspecify.annotations.NullMarked;
