import type { Cursors } from "#test/conformance/provider/emulator/createCursors.ts";
import type { World } from "#test/conformance/provider/world/World.ts";

/** One request, as far as its answer depends on it. */
export type Asked = {
	world: World;
	nowMs: number;
	pathname: string;
	/** The path's parameters, decoded. */
	path: Record<string, string>;
	query: URLSearchParams;
	body: unknown;
	cursors: Cursors;
	/** Takes down which events an answer has. */
	shown: string[];
};

/** Makes the answer to a request, or throws a Refusal. */
export type Answer = (asked: Asked) => unknown;
