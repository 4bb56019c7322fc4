package dev.sojourn.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a command of this machine to its end. */
final class Shell {
    private Shell() {}

    /** @return what it printed; @throws IllegalStateException with all that it printed if it failed */
    static String run(String... command) {
        try {
            Process process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + " failed with status " + status + ":\n" + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(command[0] + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
