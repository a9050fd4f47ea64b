/** Directories that older commits wrote, and what opens them. Nothing else imports this. */
@NullMarked
package io.tatami.older;

import org.jspecify.annotations.NullMarked;
