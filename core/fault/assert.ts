/** Thrown by `assert`: our own mistake. It fails the request, never the process. */
export class AssertionFailed extends Error {
	override readonly name = "AssertionFailed";
}

/** States what must hold if this code is right. For what a stranger can cause, throw a Fault. */
export function assert(condition: unknown, because: string): asserts condition {
	if (!condition) throw new AssertionFailed(because);
}
