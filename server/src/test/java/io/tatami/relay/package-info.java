/** What stands between two servers in tests: connections that can be held up and broken. Any test may use it. */
@NullMarked
package io.tatami.relay;

import org.jspecify.annotations.NullMarked;
