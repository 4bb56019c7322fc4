package dev.sojourn.agent.hook;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** {@code Bridge.<hook>(this, what it returned)} behind a method's first call of {@code Object.equals}. */
final class EqualsHook extends MethodVisitor {
    private final String hook;
    private boolean done;

    EqualsHook(MethodVisitor next, String hook) {
        super(Opcodes.ASM9, next);
        this.hook = hook;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (!done && owner.equals("java/lang/Object") && name.equals("equals")) {
            done = true;
            super.visitInsn(Opcodes.DUP);
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitInsn(Opcodes.SWAP);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, EntryHook.BRIDGE, hook, "(Ljava/lang/Object;Z)V", false);
        }
    }
}
