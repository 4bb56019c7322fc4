package testapp;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import javax.servlet.http.HttpServletRequest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.SessionScope;

/** A bean of the session that looks at whatever request is at work: Spring gives it a proxy, which is kept with the bean. */
@Component
@SessionScope
public class Visits implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<String> visits = new ArrayList<>();

    @Autowired
    private HttpServletRequest request;

    public String visit() {
        visits.add(request.getParameter("of"));
        return String.join(",", visits);
    }

    @RestController
    static class Page {
        @Autowired
        private Visits visits;

        @GetMapping("/visit")
        String visit() {
            return visits.visit();
        }
    }
}
