package dev.sojourn.bench;

import dev.sojourn.bench.server.Scratch;
import dev.sojourn.bench.server.Server;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A stock Tomcat, unpacked, with the example application as its only one. */
final class TomcatHome implements AutoCloseable {
    private final Path path;
    private final int port = Server.freePort();

    TomcatHome(Path top, Path scratch) throws IOException, InterruptedException {
        Path example = top.resolve("examples/tomcat-login/target");
        path = Files.createTempDirectory(scratch, "tomcat");
        var untar = new ProcessBuilder(
                        "tar",
                        "-xzf",
                        example.resolve("tomcat.tar.gz").toString(),
                        "--strip-components=1",
                        "-C",
                        path.toString())
                .inheritIO()
                .start();
        if (untar.waitFor() != 0) {
            throw new IOException("tar cannot unpack " + example.resolve("tomcat.tar.gz") + ": run 'make build' first");
        }
        Scratch.delete(path.resolve("webapps"));
        Scratch.copy(example.resolve("tomcat-login"), path.resolve("webapps/ROOT"));
        Path settings = path.resolve("conf/server.xml");
        String xml = Files.readString(settings, StandardCharsets.UTF_8);
        Files.writeString(
                settings,
                xml.replace("port=\"8080\"", "port=\"" + port + "\" address=\"127.0.0.1\"")
                        .replace("port=\"8005\"", "port=\"-1\""));
    }

    Path path() {
        return path;
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        Scratch.delete(path);
    }
}
