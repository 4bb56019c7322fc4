/** The processes under measurement: started on free loopback ports, waited for, asked what they used, stopped. */
@NullMarked
package dev.sojourn.bench.server;

import org.jspecify.annotations.NullMarked;
