package dev.sojourn.agent.hook;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** {@code if (Bridge.<hook>(this)) return} at a method's entry, of one that returns nothing. */
final class SkipHook extends MethodVisitor {
    private final String hook;

    SkipHook(MethodVisitor next, String hook) {
        super(Opcodes.ASM9, next);
        this.hook = hook;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        Label goOn = new Label();
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, EntryHook.BRIDGE, hook, "(Ljava/lang/Object;)Z", false);
        super.visitJumpInsn(Opcodes.IFEQ, goOn);
        super.visitInsn(Opcodes.RETURN);
        super.visitLabel(goOn);
        // Nothing but the parameters yet.
        super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    }
}
