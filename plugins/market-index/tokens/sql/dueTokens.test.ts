import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { failTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";
import {
	writeProviderCounts,
	writeProviderFloors,
	writeProviderTokens,
} from "#plugins/market-index/tokens/sql/providerTokens.ts";
import { writeRanks } from "#plugins/market-index/tokens/sql/ranks.ts";
import { learnTokens, writeTokens } from "#plugins/market-index/tokens/sql/tokens.ts";
import { countTraits, floorTraits } from "#plugins/market-index/tokens/sql/traits.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whoever writes several tokens of a collection, and in whatever order, none of them is
// ended by the database because two waited for each other (40P01).

const TOKENS = 400;
const ROUNDS = 12;
const at = new Date(NOW_MS);

let database: TestDatabase;
let id: number;
beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum]);
	const contract = contractOf(1);
	await fixture.seed(ethereum, [mintOf(contract)]);
	id = await fixture.idOf(ethereum, contract);
	await fixture.seed(
		ethereum,
		upwards.map((tokenId) => mintOf(contract, { tokenId })),
	);
});
afterAll(() => database?.drop());

const upwards = Array.from({ length: TOKENS }, (_, index) => BigInt(index + 1));
const downwards = upwards.toReversed();
const shuffled = upwards.map((_, index) => upwards[(index * 37) % TOKENS] ?? 0n);

/** Other texts each round, so that every row is written. */
const document = (tokenId: bigint, round: number) => ({
	name: `#${tokenId} ${round}`,
	description: null,
	imageUrl: null,
	animationUrl: null,
	traits: [{ type: "Hat", value: `${(Number(tokenId) + round) % 50}` }],
});

const writers: Record<string, (tx: Tx, round: number) => Promise<unknown>> = {
	"what their documents say": (tx, round) => {
		const known = { uri: "ipfs://1", uriHash: new Uint8Array(32) };
		const tokens = downwards.map((tokenId) => {
			return { tokenId, ...known, ...document(tokenId, round) };
		});
		return writeTokens(tx, { collectionId: id, beganAt: at, at, tokens });
	},
	"which could not be read": (tx) => {
		const tokens = shuffled.map((tokenId) => ({ tokenId, code: "gone", uri: null, uriHash: null }));
		return failTokens(tx, { collectionId: id, beganAt: at, at, tokens });
	},
	"what the provider says": (tx, round) => {
		const tokens = [...shuffled, 1_000n + BigInt(round)].map((tokenId) => {
			return { tokenId, rank: round, ...document(tokenId, round) };
		});
		return writeProviderTokens(tx, { collectionId: id, at, tokens, room: 100 });
	},
	ranks: (tx, round) => {
		const ranked = upwards.map((tokenId) => ({ id: `${tokenId}`, rank: round, score: round }));
		return writeRanks(tx, id, ranked);
	},
	"which there are": (tx) => learnTokens(tx, { collectionId: id, at }),
	"counts of traits": (tx) => countTraits(tx, id),
	"floors of traits": (tx) => floorTraits(tx, { collectionId: id, at }),
	"the provider's counts": (tx, round) => {
		const counts = shuffled.map((tokenId) => {
			return { type: "Hat", value: `${tokenId % 50n}`, tokens: round + 1 };
		});
		return writeProviderCounts(tx, id, counts);
	},
	"the provider's floors": (tx, round) => {
		const floors = shuffled.map((tokenId) => {
			return { type: "Hat", value: `${tokenId % 50n}`, floor: BigInt(round + 1) };
		});
		return writeProviderFloors(tx, id, floors);
	},
};

test("simultaneous writers of one collection's tokens all succeed, without a deadlock", async () => {
	for (let round = 0; round < ROUNDS; round++) {
		const ends = await Promise.allSettled(
			Object.values(writers).map((write) => database.db.transaction((tx) => write(tx, round))),
		);
		const failed = ends.flatMap((end) => (end.status === "rejected" ? `${end.reason}` : []));
		expect(failed).toEqual([]);
	}
	const [{ tokens } = { tokens: 0 }] = await database.db.query<{ tokens: number }>(
		"select count(*)::int4 as tokens from market_index.token where collection_id = $1",
		[id],
	);
	expect(tokens).toBeGreaterThanOrEqual(TOKENS);
});
