package dev.sojourn.agent.session;

/**
 * Classes that turn bytes into code execution and have no business in a session, and how large a value may grow while it is
 * read. In the syntax of {@code jdk.serialFilter}.
 *
 * <p>Not what a framework itself puts into beans of the session, where the published chains need another class, too: Spring's
 * handler of an injected request ("Spring1" and "Spring2" need {@code SerializableTypeWrapper}), Weld's handler of
 * interceptors ("JavassistWeld1" needs the model of them, which Weld itself writes no more), and the JDK's own handler of annotations, which
 * CDI's {@code Event} and {@code Instance} keep their qualifiers as: it takes only annotations ("Jdk7u21"), sets nothing of a map that it is
 * given (from 8u72 on), and what still reaches a map's or a value's own methods through it needs functors, {@code TemplatesImpl} or
 * the like. Nor Swing's node of a tree, which calls {@code equals} as any map does, and JMX's name, which is parsed; the models of trees and tables stay
 * refused, for their {@code EventListenerList} calls {@code toString}. Nor the exceptions of JMX, RMI and scripts that applications keep as what went wrong,
 * and RMI's unique number: none reads itself by code of its own, and what one has as its cause is asked for like anything else. By name, for one beside them
 * is a known gadget ({@code BadAttributeValueExpException} called {@code toString} of anything).
 */
final class Gadgets {
    // No value is longer than 16 MiB (the protocol's limit); an array's claimed length is only a claim until its
    // elements are there.
    static final String LIMITS = "maxdepth=100000;maxrefs=4000000;maxarray=16777216;";

    static final String PATTERNS = String.join(
            ";",
            "!org.apache.commons.collections.functors.*",
            "!org.apache.commons.collections4.functors.*",
            "!org.apache.commons.collections.keyvalue.TiedMapEntry",
            "!org.apache.commons.collections4.keyvalue.TiedMapEntry",
            "!org.apache.commons.collections4.comparators.TransformingComparator",
            "!org.apache.commons.beanutils.BeanComparator",
            "!org.codehaus.groovy.runtime.ConvertedClosure",
            "!org.codehaus.groovy.runtime.MethodClosure",
            "!org.springframework.beans.factory.config.PropertyPathFactoryBean",
            "!org.springframework.beans.factory.config.MethodInvokingFactoryBean",
            "!org.springframework.core.SerializableTypeWrapper$*",
            "!org.springframework.transaction.jta.JtaTransactionManager",
            "!org.springframework.aop.support.DefaultBeanFactoryPointcutAdvisor",
            "!org.springframework.aop.target.HotSwappableTargetSource",
            "!org.apache.xalan.**",
            "!com.sun.org.apache.xalan.**",
            "!com.sun.org.apache.bcel.**",
            "!com.sun.org.apache.xpath.**",
            "!com.sun.rowset.JdbcRowSetImpl",
            "!com.sun.jndi.**",
            "!javax.naming.Reference",
            "!javax.naming.LinkRef",
            "!javax.naming.spi.**",
            "javax.management.ObjectName",
            "javax.management.AttributeNotFoundException",
            "javax.management.InstanceAlreadyExistsException",
            "javax.management.InstanceNotFoundException",
            "javax.management.IntrospectionException",
            "javax.management.InvalidAttributeValueException",
            "javax.management.JMException",
            "javax.management.JMRuntimeException",
            "javax.management.ListenerNotFoundException",
            "javax.management.MBeanException",
            "javax.management.MBeanRegistrationException",
            "javax.management.MalformedObjectNameException",
            "javax.management.NotCompliantMBeanException",
            "javax.management.OperationsException",
            "javax.management.ReflectionException",
            "javax.management.RuntimeErrorException",
            "javax.management.RuntimeMBeanException",
            "javax.management.RuntimeOperationsException",
            "javax.management.ServiceNotFoundException",
            "!javax.management.**",
            "javax.script.ScriptException",
            "!javax.script.**",
            "javax.swing.tree.DefaultMutableTreeNode",
            "!javax.swing.**",
            "java.rmi.AccessException",
            "java.rmi.AlreadyBoundException",
            "java.rmi.ConnectException",
            "java.rmi.ConnectIOException",
            "java.rmi.MarshalException",
            "java.rmi.NoSuchObjectException",
            "java.rmi.NotBoundException",
            "java.rmi.RMISecurityException",
            "java.rmi.RemoteException",
            "java.rmi.ServerError",
            "java.rmi.ServerException",
            "java.rmi.ServerRuntimeException",
            "java.rmi.StubNotFoundException",
            "java.rmi.UnexpectedException",
            "java.rmi.UnknownHostException",
            "java.rmi.UnmarshalException",
            "java.rmi.server.ExportException",
            "java.rmi.server.ServerCloneException",
            "java.rmi.server.ServerNotActiveException",
            "java.rmi.server.SkeletonMismatchException",
            "java.rmi.server.SkeletonNotFoundException",
            "java.rmi.server.SocketSecurityException",
            "java.rmi.server.UID",
            "!java.rmi.**",
            "!sun.rmi.**",
            "!java.security.SignedObject",
            "!com.mchange.**",
            "!com.sun.syndication.feed.impl.**",
            "!com.rometools.rome.feed.impl.**",
            "!com.fasterxml.jackson.databind.node.POJONode",
            "!org.hibernate.engine.spi.TypedValue",
            "!org.hibernate.tuple.component.**",
            "!org.aspectj.weaver.**",
            "!org.jboss.interceptor.**",
            "!org.jboss.weld.interceptor.builder.*",
            "!org.jboss.weld.interceptor.reader.*",
            "!org.mozilla.javascript.**",
            "!org.python.core.**",
            "!clojure.inspector.**",
            "!bsh.**");

    private Gadgets() {}
}
