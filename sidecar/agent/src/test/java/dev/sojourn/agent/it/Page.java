package dev.sojourn.agent.it;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page with one form, as a browser has it. */
final class Page {
    private static final Pattern INPUT = Pattern.compile("<input [^>]*type=\"hidden\"[^>]*>");

    private final String body;

    Page(HttpResponse<String> response) {
        body = response.body();
        if (response.statusCode() != 200) {
            throw new AssertionError(response.uri() + " was answered " + response.statusCode() + ": " + body);
        }
    }

    /** What is in the paragraph of that id, without its tags. */
    String text(String id) {
        Matcher element = Pattern.compile("<p id=\"" + id + "\"[^>]*>(.*?)</p>", Pattern.DOTALL)
                .matcher(body);
        if (!element.find()) {
            throw new AssertionError("no paragraph " + id + " in " + body);
        }
        return String.valueOf(element.group(1)).replaceAll("<[^>]*>", "").trim();
    }

    /** What its form sends, with {@code more} that somebody typed. */
    String filled(String more) {
        StringBuilder form = new StringBuilder(more);
        Matcher inputs = INPUT.matcher(body);
        while (inputs.find()) {
            form.append('&').append(attribute(inputs.group(), "name"));
            form.append('=').append(URLEncoder.encode(attribute(inputs.group(), "value"), StandardCharsets.UTF_8));
        }
        return form.toString();
    }

    /** Where its form is sent. */
    String action() {
        Matcher form = Pattern.compile("<form [^>]*>").matcher(body);
        if (!form.find()) {
            throw new AssertionError("no form in " + body);
        }
        return attribute(form.group(), "action").replace("&amp;", "&");
    }

    private static String attribute(String tag, String name) {
        Matcher attribute = Pattern.compile(" " + name + "=\"([^\"]*)\"").matcher(tag);
        return attribute.find() ? String.valueOf(attribute.group(1)) : "";
    }
}
