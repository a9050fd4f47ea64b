/** The answers of status commands: collected, as text and as JSON. Imported by {@code io.tatami.server.cli}. */
@NullMarked
package io.tatami.server.status;

import org.jspecify.annotations.NullMarked;
