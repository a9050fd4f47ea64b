/**
 * What a lab does to this machine: processes, network namespaces, links, loop devices, limits of disks. Imports no
 * other package of ours but {@code io.tatami.base}. Imported by {@code server.lab..} and {@code benchmarks..}.
 */
@NullMarked
package io.tatami.server.lab.host;

import org.jspecify.annotations.NullMarked;
