package testapp;

import java.security.Principal;
import javax.servlet.ServletContext;
import javax.servlet.ServletRegistration;
import javax.servlet.http.HttpSession;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.WebSecurityCustomizer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The same servlets and listeners as elsewhere, and a login by Spring Security under /secure. */
@SpringBootApplication
public class BootApp {
    public static void main(String[] arguments) {
        SpringApplication.run(BootApp.class, arguments);
    }

    @Bean
    ServletContextInitializer servlets() {
        return BootApp::register;
    }

    private static void register(ServletContext context) {
        context.addListener(Counters.class);
        context.addListener(EchoSetup.class);
        context.addListener(LateEnd.class);
        ServletRegistration.Dynamic operations = context.addServlet("do", Operations.class);
        operations.setAsyncSupported(true);
        operations.addMapping("/do", "/poll");
        context.addServlet("failure", ErrorPage.class).addMapping("/error");
    }

    @Bean
    WebSecurityCustomizer unprotected() {
        return web -> web.ignoring().requestMatchers(request -> !request.getServletPath().startsWith("/secure")
                && !request.getServletPath().startsWith("/log"));
    }

    @Bean
    SecurityFilterChain login(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(any -> any.anyRequest().authenticated())
                .csrf(csrf -> csrf.disable())
                .formLogin(Customizer.withDefaults())
                .logout(Customizer.withDefaults())
                .build();
    }

    @RestController
    static class Secure {
        @GetMapping("/secure/who")
        String who(Principal principal) {
            return principal.getName();
        }

        @GetMapping("/secure/session")
        String session(HttpSession session) {
            return session.getId() + " " + session.getAttribute("SPRING_SECURITY_CONTEXT").getClass().getSimpleName();
        }
    }
}
