import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import {
	contractOf,
	ETH,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { type createDice, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { type SeededOrder, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";

export type Dice = ReturnType<typeof createDice>;

export type WorldToken = {
	tokenId: bigint;
	rank: number | null;
	/** Null: nobody told them. */
	traits: { type: string; value: string }[] | null;
};

const TYPES = ["Hat", 'Eye, or: "two"', "毛皮"];
const VALUES = ["Red", "Blue", "R:e,d"];
export const VENUES = ["seaport", "blur", "looksrare"];
const ACCOUNTS = [0xaa, 0xbb, 0xcc, 0xdd].map(contractOf);

/** Draws one of a list. */
export function pick<Of>(dice: Dice, list: readonly Of[]): Of {
	const one = list[dice(list.length)];
	if (one === undefined) throw new Error("nothing to pick from");
	return one;
}

export function pickAccount(dice: Dice): Address {
	return pick(dice, ACCOUNTS);
}

/** Returns random trades of a few tokens and accounts, some at the same moment, over 40 days. */
export function worldEvents(dice: Dice, contract: Address, count: number): Required<NewEvent>[] {
	return Array.from({ length: count }, () => {
		// Few moments, so that many events share a block.
		const occurredAtMs = NOW_MS - 1_000 - dice(24) * 40 * HOUR_MS;
		const quantity = BigInt(1 + dice(3));
		const given = {
			occurredAtMs,
			quantity,
			tokenId: BigInt(dice(10)),
			from: pickAccount(dice),
			to: pickAccount(dice),
			totalRaw: (BigInt(dice(40)) * ETH) / 10n + BigInt(dice(3)),
			currency: dice(6) === 0 ? STRANGE_COIN : ZERO_ADDRESS,
			accepted: dice(5) !== 0,
		};
		const refused = given.accepted ? {} : ({ reason: "self_trade" } as const);
		const kind = dice(8);
		if (kind < 2) return mintOf(contract, { ...given, from: ZERO_ADDRESS });
		if (kind === 2) {
			const transfer = { kind: "transfer", venue: null, currency: null, totalRaw: null } as const;
			return saleOf(contract, { ...given, ...transfer, accepted: true });
		}
		return saleOf(contract, { ...given, ...refused, venue: pick(dice, VENUES) });
	});
}

/** Stores tokens with random traits and ranks, with ties and unknown ones. */
export async function seedTokens(
	db: Database,
	dice: Dice,
	{ collectionId, count }: { collectionId: number; count: number },
): Promise<WorldToken[]> {
	const tokens = Array.from({ length: count }, (_, index): WorldToken => {
		const traits = TYPES.filter(() => dice(3) !== 0).map((type) => {
			return { type, value: pick(dice, VALUES) };
		});
		return {
			tokenId: BigInt(index),
			rank: dice(5) === 0 ? null : 1 + dice(count),
			traits: dice(6) === 0 ? null : traits,
		};
	});
	await db.execute(
		`insert into market_index.token (collection_id, token_id, rank, traits)
		select $1, * from unnest($2::numeric[], $3::int4[], $4::jsonb[])
		on conflict (collection_id, token_id) do update set rank = excluded.rank,
			traits = excluded.traits`,
		[
			collectionId,
			tokens.map(({ tokenId }) => tokenId),
			tokens.map(({ rank }) => rank),
			tokens.map(({ traits }) => (traits === null ? null : JSON.stringify(traits))),
		],
	);
	return tokens;
}

/** Stores random listings: some private, inactive, expired, not begun, or without a known price. */
export async function seedListings(
	db: Database,
	dice: Dice,
	{ collectionId, count, tokens }: { collectionId: number; count: number; tokens: number },
): Promise<SeededOrder[]> {
	const orders: SeededOrder[] = [];
	for (let index = 0; index < count; index++) {
		const totalRaw = (BigInt(1 + dice(20)) * ETH) / 10n;
		orders.push(
			await seedOrder(db, {
				collectionId,
				tokenId: BigInt(dice(tokens + 2)),
				totalRaw,
				unitNative: dice(6) === 0 ? null : totalRaw,
				isActive: dice(8) !== 0,
				isPrivate: dice(8) === 0,
				startsAtMs: pick(dice, [null, NOW_MS + 1, NOW_MS - dice(5) * DAY_MS, NOW_MS - HOUR_MS]),
				expiresAtMs: dice(8) === 0 ? NOW_MS : null,
			}),
		);
	}
	return orders;
}

/** Says whether a listing can be filled at NOW. */
export function canBeFilled({ isActive, startsAtMs, expiresAtMs }: SeededOrder): boolean {
	const hasBegun = startsAtMs === null || startsAtMs <= NOW_MS;
	return isActive && hasBegun && (expiresAtMs === null || expiresAtMs > NOW_MS);
}

/** Draws a filter by traits, as a request has it; and what it means, worked out a second time. */
export function drawTraits(dice: Dice): {
	query: string;
	passes: (token: WorldToken | undefined) => boolean;
} {
	const pairs = Array.from({ length: 1 + dice(3) }, () => {
		return { type: pick(dice, TYPES), value: pick(dice, VALUES) };
	});
	const types = [...new Set(pairs.map(({ type }) => type))];
	return {
		query: `traits=${encodeURIComponent(JSON.stringify(pairs))}`,
		passes: (token) =>
			types.every((type) =>
				(token?.traits ?? []).some(
					(has) =>
						has.type === type &&
						pairs.some((pair) => pair.type === type && pair.value === has.value),
				),
			),
	};
}

/** Compares keys of which some are not known: those come last. */
export function compareKnown(a: bigint | null, b: bigint | null, sign: 1 | -1 = 1): number {
	if (a === b) return 0;
	if (a === null) return 1;
	if (b === null) return -1;
	return a < b ? -sign : sign;
}
