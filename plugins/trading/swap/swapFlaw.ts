import type { EncodedSwap } from "#plugins/trading/swap/encodeSwap.ts";
import { readSwap } from "#plugins/trading/swap/readSwap.ts";
import type { SwapTerms } from "#plugins/trading/swap/SwapTerms.ts";

const COMPARED = [
	"exact",
	"amountRaw",
	"limitRaw",
	"isNativeIn",
	"isNativeOut",
	"recipient",
	"deadlineS",
] as const;

/**
 * Holds what is about to be signed against what was planned, by reading its bytes anew: the name of
 * what differs; null where nothing does.
 */
export function swapFlaw(encoded: EncodedSwap, terms: SwapTerms): string | null {
	const read = readSwap(encoded);
	if (!read) return "calldata";
	const differing = COMPARED.find((name) => read[name] !== terms[name]);
	if (differing) return differing;
	const isSameWay =
		read.hops.length === terms.hops.length &&
		terms.hops.every(({ tokenIn, tokenOut, fee }, index) => {
			const hop = read.hops[index];
			return hop?.tokenIn === tokenIn && hop.tokenOut === tokenOut && hop.fee === fee;
		});
	return isSameWay ? null : "hops";
}
