/**
 * From a request to a batch, its log entry and the reply: the loop of a group, and the seams between a group and its
 * parts. Imported by the packages below this one and by the operations of the cluster.
 */
@NullMarked
package io.tatami.meta.service;

import org.jspecify.annotations.NullMarked;
