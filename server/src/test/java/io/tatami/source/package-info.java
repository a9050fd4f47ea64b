/** Java sources as text, for tests that read them. */
@NullMarked
package io.tatami.source;

import org.jspecify.annotations.NullMarked;
