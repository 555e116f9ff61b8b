import type { Address } from "#core/chain/Hex.ts";
import type { CustodyTransaction } from "#plugins/custody/contract.ts";

/** One wei to nobody in particular. */
export function sampleTransaction(
	from: Address,
	nonce: number,
	changed: Partial<CustodyTransaction> = {},
): CustodyTransaction {
	return {
		chainId: 31_337,
		from,
		to: "0x00000000000000000000000000000000000000aa",
		valueRaw: 1n,
		data: "0x",
		nonce,
		gasLimit: 30_000n,
		maxFeePerGas: 4_000_000_000n,
		maxPriorityFeePerGas: 1_000_000n,
		...changed,
	};
}
