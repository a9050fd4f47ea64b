/**
 * A network without sockets, threads or real time, for simulations that replay from a seed. May be imported by the
 * tests of every module.
 */
@NullMarked
package io.tatami.rpc.sim;

import org.jspecify.annotations.NullMarked;
