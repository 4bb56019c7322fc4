/** What is printed and written. */
@NullMarked
package dev.sojourn.bench.report;

import org.jspecify.annotations.NullMarked;
