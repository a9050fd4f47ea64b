/**
 * Who a user is and which groups the user is in, as Hadoop tells it. The only importer of Hadoop in the server;
 * imported by the wiring.
 */
@NullMarked
package io.tatami.auth;

import org.jspecify.annotations.NullMarked;
