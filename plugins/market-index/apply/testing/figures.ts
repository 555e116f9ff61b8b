// Reads stored figures, and recomputes them from the stored events.

import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";

/** Everything that is kept about collections and buckets, as text, in one order. */
type Figures = { collections: Row[]; buckets: Row[] };
type Row = Record<string, string | number | null>;

const TIERS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** As it is stored. */
export async function readFigures(db: Database): Promise<Figures> {
	const collections = await db.query<Row>(
		`select '0x' || encode(address, 'hex') as contract, mints, minted_units, sales, volume_native,
			(extract(epoch from first_mint_at) * 1000)::int8 as first_mint,
			(extract(epoch from last_mint_at) * 1000)::int8 as last_mint,
			last_mint_total_raw, last_mint_quantity,
			'0x' || encode(last_mint_currency, 'hex') as last_mint_currency,
			(extract(epoch from last_sale_at) * 1000)::int8 as last_sale, last_sale_token_id,
			last_sale_unit_native, '0x' || encode(last_sale_transaction, 'hex') as last_sale_transaction
		from market_index.collection order by address`,
	);
	const buckets: Row[] = [];
	for (const tier of Object.keys(TIERS)) {
		const rows = await db.query<Row>(
			`select '${tier}' as tier, '0x' || encode(c.address, 'hex') as contract,
				(extract(epoch from bucket) * 1000)::int8 as bucket, r.sales, priced, units, volume,
				r.mints, open, high, low, close
			from market_index.rollup_${tier} as r join market_index.collection as c
				on c.id = r.collection_id and c.chain_id = r.chain_id
			order by address, bucket`,
		);
		buckets.push(...rows);
	}
	return { collections, buckets };
}

/**
 * As it must be, from the set of events alone. Written without a line of the applier: sort, filter
 * and add up.
 */
export function recomputeFigures(chain: Chain, events: readonly NewEvent[]): Figures {
	const sorted = [...events].sort(
		(a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex,
	);
	const contracts = [...new Set(sorted.map(({ contract }) => contract))].sort();
	const of = (contract: string) => sorted.filter((event) => event.contract === contract);
	return {
		collections: contracts.map((contract) => collectionOf(chain, contract, of(contract))),
		buckets: Object.entries(TIERS).flatMap(([tier, ms]) =>
			contracts.flatMap((contract) => bucketsOf(chain, of(contract), { tier, ms, contract })),
		),
	};
}

/** 10^78 - 1: sums stand still there. */
const CEILING = 10n ** 78n - 1n;
const sum = (values: bigint[]) => {
	const total = values.reduce((all, value) => all + value, 0n);
	return (total > CEILING ? CEILING : total).toString();
};

function native(chain: Chain, { currency, totalRaw }: NewEvent): bigint | null {
	if (totalRaw === 0n) return 0n;
	const isEth = currency === ZERO_ADDRESS || currency === chain.wrappedNative;
	return chain.nativeIsEth && isEth ? totalRaw : null;
}

const unit = (chain: Chain, event: NewEvent) => {
	const total = native(chain, event);
	return total === null ? null : (total / event.quantity).toString();
};

function collectionOf(chain: Chain, contract: string, events: readonly NewEvent[]): Row {
	const counted = events.filter(({ accepted }) => accepted);
	const mints = counted.filter(({ kind }) => kind === "mint");
	const sales = counted.filter(({ kind }) => kind === "sale");
	const mintTimes = mints.map(({ occurredAtMs }) => occurredAtMs);
	const mint = mints.at(-1);
	const sale = sales.at(-1);
	return {
		contract,
		mints: mints.length,
		minted_units: sum(mints.map(({ quantity }) => quantity)),
		sales: sales.length,
		volume_native: sum(sales.map((event) => native(chain, event) ?? 0n)),
		first_mint: mint ? Math.min(...mintTimes) : null,
		last_mint: mint ? Math.max(...mintTimes) : null,
		last_mint_total_raw: mint?.totalRaw?.toString() ?? null,
		last_mint_quantity: mint?.quantity.toString() ?? null,
		last_mint_currency: !mint || mint.currency === ZERO_ADDRESS ? null : mint.currency,
		last_sale: sale?.occurredAtMs ?? null,
		last_sale_token_id: sale?.tokenId.toString() ?? null,
		last_sale_unit_native: sale ? unit(chain, sale) : null,
		last_sale_transaction: sale?.transactionHash ?? null,
	};
}

function bucketsOf(
	chain: Chain,
	events: readonly NewEvent[],
	{ tier, ms, contract }: { tier: string; ms: number; contract: string },
): Row[] {
	const counted = events.filter(({ accepted, kind }) => accepted && kind !== "transfer");
	const bucket = ({ occurredAtMs }: NewEvent) => Math.floor(occurredAtMs / ms) * ms;
	const starts = [...new Set(counted.map(bucket))].sort((a, b) => a - b);
	return starts.map((start) => {
		const inside = counted.filter((event) => bucket(event) === start);
		const sales = inside.filter(({ kind }) => kind === "sale");
		const priced = sales.filter((event) => native(chain, event) !== null);
		const prices = priced.map((event) => BigInt(unit(chain, event) ?? 0));
		const byValue = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
		return {
			tier,
			contract,
			bucket: start,
			sales: sales.length,
			priced: priced.length,
			units: sum(priced.map(({ quantity }) => quantity)),
			volume: sum(priced.map((event) => native(chain, event) ?? 0n)),
			mints: inside.length - sales.length,
			open: prices.at(0)?.toString() ?? null,
			high: byValue.at(-1)?.toString() ?? null,
			low: byValue.at(0)?.toString() ?? null,
			close: prices.at(-1)?.toString() ?? null,
		};
	});
}
