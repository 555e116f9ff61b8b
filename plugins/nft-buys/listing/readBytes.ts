import type { Hex } from "#core/chain/Hex.ts";

/** What a node answers a call with; "0x" for everything that is not bytes. */
export function readBytes(answer: unknown): Hex {
	return isBytes(answer) ? answer : "0x";
}

const isBytes = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(answer);
