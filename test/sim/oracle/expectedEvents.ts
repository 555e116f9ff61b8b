import type { Hex } from "#core/chain/Hex.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { cast } from "#test/sim/chain/cast.ts";
import type { Fact } from "#test/sim/chain/Deal.ts";
import type { SimBlock } from "#test/sim/chain/SimBlock.ts";

/** A fact with its place in the chain and its worth. */
export type ExpectedEvent = Fact & {
	blockNumber: number;
	blockHash: Hex;
	transactionHash: Hex;
	logIndex: number;
	atMs: number;
	/** In wei; null for a coin without a rate. */
	totalNative: bigint | null;
};

/** Every mint and sale of a chain, in order, as those who made it up know it. */
export function expectedEvents(blocks: readonly SimBlock[], scanFrom: number): ExpectedEvent[] {
	return blocks
		.slice(scanFrom)
		.flatMap((block) => {
			let logsBefore = 0;
			return block.transactions.flatMap(({ hash, facts, logs }) => {
				const first = logsBefore;
				logsBefore += logs.length;
				return facts.map(
					(fact): ExpectedEvent => ({
						...fact,
						blockNumber: block.number,
						blockHash: block.hash,
						transactionHash: hash,
						logIndex: first + fact.logOffset,
						atMs: block.timestampS * 1_000,
						totalNative: nativeOf(fact),
					}),
				);
			});
		})
		.sort(byPlace);
}

function nativeOf({ currency, totalRaw }: Fact): bigint | null {
	if (totalRaw === 0n) return 0n;
	return currency === ZERO_ADDRESS || currency === cast.weth ? totalRaw : null;
}

function byPlace(a: ExpectedEvent, b: ExpectedEvent): number {
	return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex;
}
