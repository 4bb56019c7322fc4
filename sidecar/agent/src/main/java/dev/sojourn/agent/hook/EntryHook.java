package dev.sojourn.agent.hook;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** {@code Bridge.<hook>(this, an argument)} at a method's entry, the result in place of the argument if wanted. */
final class EntryHook extends MethodVisitor {
    static final String BRIDGE = "dev/sojourn/agent/Bridge";
    private static final String MANAGER = "org/apache/catalina/Manager";

    /** {@code Bridge.<hook>(this)}. */
    static final int NO_ARGUMENT = 0;

    private final String hook;
    /** The local variable that it is in. */
    private final int argument;

    private final boolean replaces;

    EntryHook(MethodVisitor next, String hook, int argument, boolean replaces) {
        super(Opcodes.ASM9, next);
        this.hook = hook;
        this.argument = argument;
        this.replaces = replaces;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, 0);
        String arguments = "Ljava/lang/Object;";
        if (argument != NO_ARGUMENT) {
            super.visitVarInsn(Opcodes.ALOAD, argument);
            arguments += "Ljava/lang/Object;";
        }
        String result = replaces ? "Ljava/lang/Object;" : "V";
        super.visitMethodInsn(Opcodes.INVOKESTATIC, BRIDGE, hook, "(" + arguments + ")" + result, false);
        if (replaces) {
            super.visitTypeInsn(Opcodes.CHECKCAST, MANAGER);
            super.visitVarInsn(Opcodes.ASTORE, argument);
        }
    }
}
