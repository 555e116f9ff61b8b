import type { Contents } from "#test/bench/chain/workload.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

/**
 * A chain like most days: many sales and mints in transactions of their own, a few bulk mints, and
 * twenty times as many other transactions. Each block follows from its number alone, so a chain of
 * any length costs nothing to make.
 */
export type DayChain = {
	blocks: number;
	/** The time between two blocks; below 1 several blocks share a second. */
	blockSeconds: number;
	collections: number;
	salesPerDay: number;
	mintsPerDay: number;
	/** Transactions of `BULK_SIZE` mints. */
	bulkMintsPerDay: number;
	/** Transactions of ERC-20 tokens for each one of an NFT. */
	noise: number;
};

export const BULK_SIZE = 40;
const DAY_SECONDS = 86_400;
const SEED = 20_261_123;

export function dayChain(given: Pick<DayChain, "blocks" | "blockSeconds">): DayChain {
	const perDay = { salesPerDay: 40_000, mintsPerDay: 20_000, bulkMintsPerDay: 500 };
	return { ...given, collections: 300, noise: 20, ...perDay };
}

/** One NFT transaction: so many mints, or one sale, of a collection. */
export type DayDeal = {
	kind: "mint" | "sale";
	collection: number;
	count: number;
	valueWei: bigint;
};
export type DayBlock = { deals: readonly DayDeal[]; noise: number };

/** Returns the content of a block, by its number. */
export function planDayBlock(chain: DayChain, number: number): DayBlock {
	const random = createPrng(Math.imul(number, 2_654_435_761) ^ SEED);
	const share = chain.blockSeconds / DAY_SECONDS;
	const drawn = (perDay: number) => {
		const mean = perDay * share;
		return Math.floor(mean) + (random.chance(mean % 1) ? 1 : 0);
	};
	// The square of a uniform number: a few collections have most of the trade.
	const collection = () => Math.floor(random.next() ** 2 * chain.collections);
	const mint = (count: number): DayDeal => {
		const valueWei = random.chance(0.5) ? BigInt(count) * 10n ** 15n : 0n;
		return { kind: "mint", collection: collection(), count, valueWei };
	};
	const deals: DayDeal[] = [];
	for (let left = drawn(chain.bulkMintsPerDay); left > 0; left--) deals.push(mint(BULK_SIZE));
	for (let left = drawn(chain.mintsPerDay); left > 0; left--) deals.push(mint(1));
	for (let left = drawn(chain.salesPerDay); left > 0; left--) {
		const valueWei = 10n ** 16n + BigInt(random.int(1_000_000)) * 40n;
		deals.push({ kind: "sale", collection: collection(), count: 1, valueWei });
	}
	return { deals, noise: drawn((dealsPerDay(chain) || 1) * chain.noise) };
}

function dealsPerDay({ salesPerDay, mintsPerDay, bulkMintsPerDay }: DayChain): number {
	return salesPerDay + mintsPerDay + bulkMintsPerDay;
}

/** Returns the content of the blocks from `from` to the chain's last. */
export function dayContents(chain: DayChain, from = 1): Contents {
	let [mints, sales] = [0, 0];
	for (let number = from; number <= chain.blocks; number++) {
		for (const { kind, count } of planDayBlock(chain, number).deals) {
			if (kind === "mint") mints += count;
			else sales += count;
		}
	}
	return { tip: chain.blocks, mints, sales };
}
