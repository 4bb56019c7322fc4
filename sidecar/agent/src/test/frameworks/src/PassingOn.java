package testapp;

import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;

/** An interceptor, such as of a transaction or a check of permissions. Weld keeps those of a bean with it. */
public class PassingOn implements Serializable {
    private static final long serialVersionUID = 1L;

    @AroundInvoke
    Object around(InvocationContext call) throws Exception {
        return call.proceed();
    }
}
