package dev.sojourn.agent.hook;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Puts calls of the bridge into one class, at their methods' entries: no frames to recompute. */
final class HookWriter {
    private final List<HookPoint> missing;

    HookWriter(HookPoint[] wanted) {
        this.missing = new ArrayList<>(Arrays.asList(wanted));
    }

    /** After rewriting: those that the class does not have. */
    List<HookPoint> missing() {
        return missing;
    }

    byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                        HookPoint point = take(name, descriptor);
                        return point == null ? next : hook(point, next);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private @Nullable HookPoint take(String name, String descriptor) {
        for (HookPoint point : missing) {
            if (point.method.equals(name) && point.descriptor.equals(descriptor)) {
                missing.remove(point);
                return point;
            }
        }
        return null;
    }

    private static MethodVisitor hook(HookPoint point, MethodVisitor next) {
        switch (point) {
            case SET_MANAGER:
                return new EntryHook(next, "manager", 1, true);
            case ACTION:
                return new EntryHook(next, "action", 1, false);
            case RECYCLE:
                return new EntryHook(next, "recycling", EntryHook.NO_ARGUMENT, false);
            case STREAM:
                return new EqualsHook(next, "processing");
            case WRITE:
                return new EntryHook(next, "writing", 2, false);
            case CLOSE:
                return new EntryHook(next, "closing", EntryHook.NO_ARGUMENT, false);
            case PAUSE:
                return new SkipHook(next, "pausing");
            case SERVICE:
            case ASYNC_DISPATCH:
                return new ScopeHook(next, point);
        }
        throw new IllegalStateException(point.name());
    }
}
