/**
 * Tatami as Hadoop sees it: FileSystem, AbstractFileSystem and streams. The only importer of Hadoop on the client side;
 * imported by nothing of ours but benchmarks.
 */
@NullMarked
package io.tatami.hadoop;

import org.jspecify.annotations.NullMarked;
