/** The jar that users put beside Hadoop's own. Runs after it was built. Imported by nothing. */
@NullMarked
package io.tatami.hadoop.jar;

import org.jspecify.annotations.NullMarked;
