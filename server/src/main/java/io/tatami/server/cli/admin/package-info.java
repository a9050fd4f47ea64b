/**
 * {@code tatami admin …}: the commands that change metadata servers and block servers. Imports
 * {@code server.cli.option} and {@code server.status}. Imported by {@code server.cli}.
 */
@NullMarked
package io.tatami.server.cli.admin;

import org.jspecify.annotations.NullMarked;
