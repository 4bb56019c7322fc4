package dev.sojourn.agent.hook;

/** The hooked methods; each is checked to exist by name and descriptor before anything is rewritten. */
enum HookPoint {
    /** Every way to a session manager passes here: the default, context.xml and embedders. */
    SET_MANAGER("setManager", "(Lorg/apache/catalina/Manager;)V"),
    /** Every protocol's response passes here before its first byte. */
    ACTION("action", "(Lorg/apache/coyote/ActionCode;Ljava/lang/Object;)V"),
    SERVICE("service", "(Lorg/apache/coyote/Request;Lorg/apache/coyote/Response;)V"),
    ASYNC_DISPATCH(
            "asyncDispatch",
            "(Lorg/apache/coyote/Request;Lorg/apache/coyote/Response;Lorg/apache/tomcat/util/net/SocketEvent;)Z"),
    /** Every request's end passes here, those too that Tomcat drops with their connections; but for what HTTP/2 gives up. */
    RECYCLE("recycle", "()V"),
    /** Every event of a request over HTTP/2 passes here; where its stream is another one by now nothing is done, and nobody comes back to it. */
    STREAM("process", "(Lorg/apache/tomcat/util/net/SocketEvent;)V"),
    /** Every byte that leaves over NIO passes here, on its way to TLS if there is any. */
    WRITE("doWrite", "(ZLjava/nio/ByteBuffer;)V"),
    CLOSE("doClose", "()V"),
    /** Tomcat's stop passes here first, and Spring Boot's graceful shutdown. */
    PAUSE("pause", "()V");

    final String method;
    final String descriptor;

    HookPoint(String method, String descriptor) {
        this.method = method;
        this.descriptor = descriptor;
    }
}
