import type { ExpectedEvent } from "#test/sim/oracle/expectedEvents.ts";

/** A table's rows as text, each under its key, ready to be compared. */
export type Rows = Map<string, Record<string, string | null>>;
export type State = Record<"events" | "collections" | "minutes" | "hours" | "days", Rows>;

const BUCKETS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/**
 * What the index must hold, from the list of events alone: filter, sort, add up. Not a line of the
 * product is used.
 */
export function expectedRows(events: readonly ExpectedEvent[]): State {
	const counted = events.filter(({ accepted }) => accepted);
	const bucketsOf = (ms: number) => {
		const groups = Map.groupBy(counted, ({ contract, atMs }) => {
			return `${contract} ${Math.floor(atMs / ms) * ms}`;
		});
		return new Map([...groups].map(([key, inside]) => [key, bucketRow(inside)]));
	};
	const contracts = Map.groupBy(events, ({ contract }) => contract);
	return {
		events: new Map(events.map((event) => [keyOf(event), eventRow(event)])),
		collections: new Map([...contracts].map(([contract, of]) => [contract, collectionRow(of)])),
		minutes: bucketsOf(BUCKETS.minutes),
		hours: bucketsOf(BUCKETS.hours),
		days: bucketsOf(BUCKETS.days),
	};
}

function keyOf({ blockNumber, logIndex, subIndex }: ExpectedEvent): string {
	return `${blockNumber}.${logIndex}.${subIndex}`;
}

function eventRow(event: ExpectedEvent) {
	return {
		at: String(event.atMs),
		contract: event.contract,
		kind: event.kind === "sale" ? "1" : "2",
		accepted: String(event.accepted),
		verified: "true",
		block_hash: event.blockHash,
		transaction_hash: event.transactionHash,
		from: event.from,
		to: event.to,
		token_id: String(event.tokenId),
		quantity: String(event.quantity),
		currency: event.currency,
		total_raw: String(event.totalRaw),
		total_native: textOf(event.totalNative),
		venue: event.venue,
		reason: event.reason,
		payload: null,
	};
}

function collectionRow(of: readonly ExpectedEvent[]) {
	const mints = of.filter(({ kind, accepted }) => kind === "mint" && accepted);
	const sales = of.filter(({ kind, accepted }) => kind === "sale" && accepted);
	const mint = mints.at(-1);
	const sale = sales.at(-1);
	return {
		standard: of[0]?.standard ?? null,
		slug: of[0]?.contract ?? null,
		minted_units: textOf(sum(mints.map(({ quantity }) => quantity))),
		mints: String(mints.length),
		first_mint_at: mint ? String(Math.min(...mints.map(({ atMs }) => atMs))) : null,
		last_mint_at: mint ? String(Math.max(...mints.map(({ atMs }) => atMs))) : null,
		last_mint_position: mint ? positionText(mint) : null,
		last_mint_total_raw: mint ? String(mint.totalRaw) : null,
		last_mint_quantity: mint ? String(mint.quantity) : null,
		sales: String(sales.length),
		volume_native: textOf(sum(sales.map(({ totalNative }) => totalNative ?? 0n))),
		last_sale_at: sale ? String(sale.atMs) : null,
		last_sale_position: sale ? positionText(sale) : null,
		last_sale_token_id: sale ? String(sale.tokenId) : null,
		last_sale_unit_native: sale ? textOf(unitOf(sale)) : null,
		last_sale_transaction: sale?.transactionHash ?? null,
	};
}

function bucketRow(inside: readonly ExpectedEvent[]) {
	const sales = inside.filter(({ kind }) => kind === "sale");
	const priced = sales.filter(({ totalNative }) => totalNative !== null);
	const prices = priced.map((sale) => unitOf(sale) ?? 0n);
	const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const [first] = priced;
	const last = priced.at(-1);
	return {
		sales: String(sales.length),
		priced: String(priced.length),
		units: textOf(sum(priced.map(({ quantity }) => quantity))),
		mints: String(inside.length - sales.length),
		volume: textOf(sum(priced.map(({ totalNative }) => totalNative ?? 0n))),
		open: textOf(prices[0]),
		high: textOf(sorted.at(-1)),
		low: textOf(sorted[0]),
		close: textOf(prices.at(-1)),
		open_position: first ? positionText(first) : null,
		close_position: last ? positionText(last) : null,
	};
}

/** Block, log and item in one number, as the table's comment says: 33, 20 and 10 bits. */
function positionText({ blockNumber, logIndex, subIndex }: ExpectedEvent): string {
	return String(BigInt(blockNumber) * 2n ** 30n + BigInt(logIndex) * 2n ** 10n + BigInt(subIndex));
}

function unitOf({ totalNative, quantity }: ExpectedEvent): bigint | null {
	return totalNative === null ? null : totalNative / quantity;
}

function sum(values: readonly bigint[]): bigint {
	return values.reduce((all, value) => all + value, 0n);
}

function textOf(value: bigint | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}
