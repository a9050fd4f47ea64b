/**
 * Tatami as Hadoop's file systems: FileSystem, AbstractFileSystem and the shell, under the names that settings give.
 * Imports the packages below it, and none of them imports it; of ours it is imported only by benchmarks. With those
 * packages it is the only importer of Hadoop on the client side.
 */
@NullMarked
package io.tatami.hadoop;

import org.jspecify.annotations.NullMarked;
