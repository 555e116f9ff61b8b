import type { Hex } from "#core/chain/Hex.ts";

/** Returns a node's answer as bytes; "0x" for everything else. */
export function readBytes(answer: unknown): Hex {
	return isBytes(answer) ? answer : "0x";
}

const isBytes = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(answer);
