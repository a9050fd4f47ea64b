/**
 * Membership as parts of the groups: who serves, who is alive, sessions, credits. Imported where the parts of groups
 * are listed.
 */
@NullMarked
package io.tatami.meta.service.cluster;

import org.jspecify.annotations.NullMarked;
