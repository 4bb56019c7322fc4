package dev.sojourn.examples.login;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;

/** The frame around every page. */
final class Page {
    static final String POD = Objects.requireNonNullElse(System.getenv("HOSTNAME"), "localhost");

    private Page() {}

    static void write(HttpServletResponse response, String body) throws IOException {
        response.setContentType("text/html;charset=utf-8");
        response.getWriter()
                .print("<!doctype html><title>Sojourn example</title><style>body{font:18px sans-serif;margin:10vh auto;"
                        + "max-width:40em}button,input{font:inherit;padding:.3em .8em}</style>" + body);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
