/** A cluster in memory behind real sockets, for tests of the client library; imported by them only. */
@NullMarked
package io.tatami.client.fake;

import org.jspecify.annotations.NullMarked;
