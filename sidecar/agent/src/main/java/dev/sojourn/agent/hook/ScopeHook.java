package dev.sojourn.agent.hook;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** {@code Bridge.enter} at the entry of the connector's method, {@code Bridge.exit} at every way out of it. */
final class ScopeHook extends MethodVisitor {
    private static final int REQUEST = 1;

    private final boolean dispatch;
    private final Object[] locals;
    private final Label start = new Label();

    ScopeHook(MethodVisitor next, HookPoint point) {
        super(Opcodes.ASM9, next);
        this.dispatch = point == HookPoint.ASYNC_DISPATCH;
        String adapter = "org/apache/catalina/connector/CoyoteAdapter";
        String request = "org/apache/coyote/Request";
        String response = "org/apache/coyote/Response";
        this.locals = dispatch
                ? new Object[] {adapter, request, response, "org/apache/tomcat/util/net/SocketEvent"}
                : new Object[] {adapter, request, response};
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, REQUEST);
        super.visitInsn(dispatch ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
        bridge("enter");
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.RETURN) {
            super.visitVarInsn(Opcodes.ALOAD, REQUEST);
            super.visitInsn(Opcodes.ICONST_0);
            bridge("exit");
        } else if (opcode == Opcodes.IRETURN) {
            super.visitInsn(Opcodes.DUP);
            super.visitVarInsn(Opcodes.ALOAD, REQUEST);
            super.visitInsn(Opcodes.SWAP);
            bridge("exitDispatch");
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        Label end = new Label();
        super.visitLabel(end);
        // Last in the table, so it catches only what the method itself does not. The method never assigns its
        // parameters,
        // so they are all that is known to be there.
        super.visitTryCatchBlock(start, end, end, (@Nullable String) null);
        super.visitFrame(Opcodes.F_FULL, locals.length, locals, 1, new Object[] {"java/lang/Throwable"});
        super.visitVarInsn(Opcodes.ALOAD, REQUEST);
        super.visitInsn(Opcodes.ICONST_1);
        bridge("exit");
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(maxStack, maxLocals);
    }

    private void bridge(String method) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, EntryHook.BRIDGE, method, "(Ljava/lang/Object;Z)V", false);
    }
}
