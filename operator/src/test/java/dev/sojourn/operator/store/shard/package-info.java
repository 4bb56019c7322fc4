@NullMarked
package dev.sojourn.operator.store.shard;

import org.jspecify.annotations.NullMarked;
