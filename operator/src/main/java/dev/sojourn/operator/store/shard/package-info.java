/** A Valkey cluster's members, slots and replicas: what they are, what they should be, and the commands in between. */
@NullMarked
package dev.sojourn.operator.store.shard;

import org.jspecify.annotations.NullMarked;
