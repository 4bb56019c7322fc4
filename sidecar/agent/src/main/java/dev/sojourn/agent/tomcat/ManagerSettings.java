package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.util.Arrays;
import java.util.List;
import org.apache.catalina.session.ManagerBase;

/** What the manager that is replaced was set to, in its context's descriptor or by who embeds Tomcat. Not {@code maxActiveSessions}: {@link SessionLimit}. */
final class ManagerSettings {
    /** Of a manager from Tomcat 10.1 on; before, system properties that Tomcat's session reads by itself. */
    private static final List<String> OF_LATER_ONES = Arrays.asList("SessionActivityCheck", "SessionLastAccessAtStart");

    private ManagerSettings() {}

    static void take(ManagerBase from, ManagerBase to) {
        to.setSessionAttributeNameFilter(from.getSessionAttributeNameFilter());
        to.setSessionAttributeValueClassNameFilter(from.getSessionAttributeValueClassNameFilter());
        to.setWarnOnSessionAttributeFilterFailure(from.getWarnOnSessionAttributeFilterFailure());
        to.setNotifyBindingListenerOnUnchangedValue(from.getNotifyBindingListenerOnUnchangedValue());
        to.setNotifyAttributeListenerOnUnchangedValue(from.getNotifyAttributeListenerOnUnchangedValue());
        to.setSecureRandomClass(from.getSecureRandomClass());
        to.setSecureRandomAlgorithm(from.getSecureRandomAlgorithm());
        to.setSecureRandomProvider(from.getSecureRandomProvider());
        if (from.getSessionIdGenerator() != null) {
            to.setSessionIdGenerator(from.getSessionIdGenerator());
        }
        OF_LATER_ONES.forEach(setting -> take(setting, from, to));
    }

    private static void take(String setting, ManagerBase from, ManagerBase to) {
        try {
            Object value = from.getClass().getMethod("get" + setting).invoke(from);
            to.getClass().getMethod("set" + setting, boolean.class).invoke(to, value);
        } catch (NoSuchMethodException e) {
            // Tomcat 9.
        } catch (ReflectiveOperationException e) {
            Log.debug("a manager's setting is not taken over: " + setting + " cause=" + e);
        }
    }
}
