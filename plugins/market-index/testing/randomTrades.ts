import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS } from "#core/time.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { ETH, mintOf, NOW_MS, saleOf } from "#plugins/market-index/testing/marketFixture.ts";

/** An ERC-20 whose rate no chain of the tests knows. */
export const STRANGE_COIN: Address = `0x${"c0".repeat(20)}`;

/** Returns a source of numbers below `max` that are the same in every run. */
export function createDice(seed: number): (max: number) => number {
	let state = seed;
	return (max) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * max);
	};
}

/**
 * Sales and mints of some collections over days before NOW: priced and not, accepted and not, of
 * several units, in one minute and far apart.
 */
export function randomTrades(options: {
	seed: number;
	contracts: readonly Address[];
	count: number;
	days: number;
}): NewEvent[] {
	const dice = createDice(options.seed);
	const events: NewEvent[] = [];
	for (let index = 0; index < options.count; index++) {
		const contract = options.contracts[dice(options.contracts.length)] ?? "0x";
		const occurredAtMs = NOW_MS - dice(options.days * DAY_MS);
		const quantity = BigInt(1 + dice(3));
		const totalRaw = (BigInt(1 + dice(5_000)) * ETH) / 1_000n;
		const given = { occurredAtMs, quantity, totalRaw };
		const kind = dice(10);
		if (kind < 3) events.push(mintOf(contract, given));
		else if (kind === 3) {
			events.push(saleOf(contract, { ...given, accepted: false, reason: "self_trade" }));
		} else if (kind === 4) events.push(saleOf(contract, { ...given, currency: STRANGE_COIN }));
		else events.push(saleOf(contract, given));
	}
	return events;
}

/** Returns the sales that count, and those of them whose price is known. */
export function countedSales(events: readonly NewEvent[], sinceMs = 0) {
	const sales = events.filter(
		({ kind, accepted, occurredAtMs }) => kind === "sale" && accepted && occurredAtMs >= sinceMs,
	);
	return { sales, priced: sales.filter(({ currency }) => currency !== STRANGE_COIN) };
}

/** Returns ETH as a float, to compare it with answers of routes. */
export function eth(wei: bigint): number {
	return Number(wei) / 1e18;
}

/** Returns the volume of priced sales in ETH. */
export function volumeOf(sales: readonly NewEvent[]): number {
	return eth(sales.reduce((sum, { totalRaw }) => sum + (totalRaw ?? 0n), 0n));
}

/** Returns the start of the minute that holds a time: windows begin there. */
export function minuteOf(atMs: number): number {
	return atMs - (atMs % 60_000);
}
