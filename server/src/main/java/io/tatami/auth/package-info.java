/**
 * The groups of a user, from Hadoop's group mapping. The only package of the server that imports Hadoop. Imported by
 * {@code server.cli}.
 */
@NullMarked
package io.tatami.auth;

import org.jspecify.annotations.NullMarked;
