/**
 * The blocks that a writer fills, one after another. A block whose chain of servers fails is begun anew while none of
 * its bytes is acknowledged; else it is sealed, and the file goes on in another one. Imports {@code meta} and
 * {@code block} of the client. Imported by {@code client.file}.
 */
@NullMarked
package io.tatami.client.file.write;

import org.jspecify.annotations.NullMarked;
