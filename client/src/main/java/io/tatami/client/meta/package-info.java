/**
 * Calls to the metadata service: the addresses of groups and block servers, request numbers, retries, and the renewal
 * of leases. Imports {@code block} and {@code model} of the client. Imported by {@code client}, {@code client.entry},
 * {@code client.file..}, {@code server.lab}, {@code server.node}, {@code benchmarks.workload.bulk} and
 * {@code benchmarks.workload.ior}.
 */
@NullMarked
package io.tatami.client.meta;

import org.jspecify.annotations.NullMarked;
