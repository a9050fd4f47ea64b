/** What tests that draw their course have in common. Imports nothing of Tatami. */
@NullMarked
package io.tatami.seed;

import org.jspecify.annotations.NullMarked;
