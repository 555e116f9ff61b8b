import { encodeAbiParameters, type Hex, size } from "viem";

/** `tokenURI(uint256)` and `contractURI()`. */
const ANSWERED = ["c87b56dd", "e8a3d485"] as const;

/**
 * Returns code of a contract that answers both of its URIs with one text, for every token, and
 * reverts for everything else. For `anvil_setCode`.
 */
export function hostileContract(uri: string): Hex {
	// Encoded like a function's return value.
	const answer = encodeAbiParameters([{ type: "string" }], [uri]);
	const word = (number: number) => number.toString(16).padStart(4, "0");
	const branches = ANSWERED.length;
	// DUP1 PUSH4 selector EQ PUSH2 target JUMPI, for each; then a revert.
	const head = "5f3560e01c";
	const revert = "5f5ffd";
	const target = head.length / 2 + branches * 11 + revert.length / 2;
	const jumps = ANSWERED.map((selector) => `8063${selector}1461${word(target)}57`).join("");
	// JUMPDEST, then CODECOPY and RETURN of everything after this code.
	const from = target + 14;
	const length = word(size(answer));
	const tail = `5b61${length}61${word(from)}5f3961${length}5ff3`;
	return `0x${head}${jumps}${revert}${tail}${answer.slice(2)}`;
}
