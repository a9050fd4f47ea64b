/** Holds the documents to the tree that they describe. */
@NullMarked
package io.tatami.docs;

import org.jspecify.annotations.NullMarked;
