package dev.sojourn.agent.hook;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** {@code Bridge.<hook>(this, first argument)} at a method's entry, the result in place of the argument if wanted. */
final class EntryHook extends MethodVisitor {
    static final String BRIDGE = "dev/sojourn/agent/Bridge";
    private static final String MANAGER = "org/apache/catalina/Manager";

    private final String hook;
    private final boolean replaces;

    EntryHook(MethodVisitor next, String hook, boolean replaces) {
        super(Opcodes.ASM9, next);
        this.hook = hook;
        this.replaces = replaces;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitVarInsn(Opcodes.ALOAD, 1);
        String result = replaces ? "Ljava/lang/Object;" : "V";
        super.visitMethodInsn(
                Opcodes.INVOKESTATIC, BRIDGE, hook, "(Ljava/lang/Object;Ljava/lang/Object;)" + result, false);
        if (replaces) {
            super.visitTypeInsn(Opcodes.CHECKCAST, MANAGER);
            super.visitVarInsn(Opcodes.ASTORE, 1);
        }
    }
}
