package testapp;

import java.io.File;
import javax.servlet.ServletContextEvent;
import javax.servlet.ServletContextListener;

/** Lets a test hold a request, and then the application's end, for as long as there is a file: nobody can be told by a request then. */
public class LateEnd implements ServletContextListener {
    private static volatile File held;

    static void hold(String file) {
        held = new File(file);
        await("the application holds a request");
    }

    private static void await(String saying) {
        System.out.println(saying);
        long began = System.nanoTime();
        try {
            while (held.exists() && System.nanoTime() - began < 60_000_000_000L) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {}

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        if (held != null) {
            await("the application holds its end");
        }
    }
}
