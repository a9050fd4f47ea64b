/**
 * The interfaces between a group and its parts: flows, background tasks, handlers, and the parts' access to other
 * groups. Imports no other package of the service. Imported by {@code meta.service..}.
 */
@NullMarked
package io.tatami.meta.service;

import org.jspecify.annotations.NullMarked;
