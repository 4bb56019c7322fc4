/** What is asked of the variants, named after the measurements that others have published. */
@NullMarked
package dev.sojourn.bench.scenario;

import org.jspecify.annotations.NullMarked;
