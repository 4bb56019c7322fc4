/** From runs to figures: what was used meanwhile, and medians over the repetitions. */
@NullMarked
package dev.sojourn.bench.measure;

import org.jspecify.annotations.NullMarked;
