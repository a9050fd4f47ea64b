/** Client JVMs that write and read whole files through Hadoop's API. Imported by the benchmarks that stream. */
@NullMarked
package io.tatami.benchmarks.clients;

import org.jspecify.annotations.NullMarked;
