package dev.sojourn.bench.measure;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.sojourn.bench.server.Server;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;

/** What takes the CPU of another JVM, by async-profiler. */
public final class Profile {
    /** The kernel's clock of CPU time, and a timer of each thread where perf events are not allowed. */
    private static final String[] EVENTS = {"cpu-clock", "ctimer"};

    private final Path library;
    private final Path folder;

    /** @param folder for the library and what it writes */
    public Profile(Path folder) throws IOException {
        this.folder = folder;
        library = folder.resolve("libasyncProfiler.so");
        String platform = System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
        String name = "/" + platform + "/libasyncProfiler.so";
        try (InputStream in = Profile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("async-profiler has no " + name);
            }
            Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** What took the CPU of the server while something was done. */
    public Stacks of(Server server, Callable<?> work) throws Exception {
        Path stacks = folder.resolve("stacks.txt");
        VirtualMachine jvm = VirtualMachine.attach(String.valueOf(server.pid()));
        try {
            start(jvm);
            work.call();
            jvm.loadAgentPath(library.toString(), "stop,collapsed,file=" + stacks);
        } finally {
            jvm.detach();
        }
        return new Stacks(Files.readAllLines(stacks));
    }

    private void start(VirtualMachine jvm) throws IOException, AgentLoadException, AttachNotSupportedException {
        for (String event : EVENTS) {
            try {
                jvm.loadAgentPath(library.toString(), "start,interval=1ms,event=" + event);
                return;
            } catch (AgentInitializationException refused) {
                // The next one then.
            }
        }
        throw new IOException("async-profiler can start with none of " + String.join(", ", EVENTS));
    }
}
