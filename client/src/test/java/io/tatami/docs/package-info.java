/** Tests that compare the pages of the project with its sources. Nothing imports it. */
@NullMarked
package io.tatami.docs;

import org.jspecify.annotations.NullMarked;
