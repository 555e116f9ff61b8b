import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encodeAbiParameters, toFunctionSelector } from "viem";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { AHEAD_TOKENS, PART_TOKENS_MAX } from "#plugins/market-index/tokens/model.ts";
import {
	createSupply,
	type DueToken,
	readUrisOf,
} from "#plugins/market-index/tokens/readTokenUris.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createSupply", () => {
	const TOKENS = PART_TOKENS_MAX + 5;
	/** Its contract tells no URI for this one. */
	const UNTOLD = 3n;

	let database: TestDatabase;
	let collectionId: number;

	beforeAll(async () => {
		database = await createTestDatabase();
		const { seed, idOf } = createMarketFixture(database.db, [ethereum]);
		await seed(ethereum, [mintOf(contractOf(1))]);
		collectionId = await idOf(ethereum, contractOf(1));
		await database.db.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
		select $1, n, $3::timestamptz - interval '1 minute' from generate_series(0, $2::int4 - 1) as n`,
			[collectionId, TOKENS, new Date(NOW_MS)],
		);
	});
	afterAll(() => database.drop());

	/** A supply whose node answers as long as it is up, and how many parts were asked of it. */
	function createLab() {
		const lab = { isUp: true, parts: 0, untold: [] as bigint[], padding: "", alone: 0 };
		const rpc: Pick<Rpc, "settle"> = {
			async settle(calls) {
				lab.parts++;
				if (calls.length === 1) lab.alone++;
				if (!lab.isUp) throw new Error("the node is silent");
				return calls.map(({ params }) => {
					const [{ data }] = params as [{ data: string }];
					const id = BigInt(`0x${data.slice(10)}`);
					const uri = id === UNTOLD ? "" : `ipfs://cats/${id}${lab.padding}`;
					return { kind: "result", result: encodeAbiParameters([{ type: "string" }], [uri]) };
				});
			},
		};
		const supply = createSupply({
			core: { db: database.db, clock: { nowMs: () => NOW_MS } },
			rpc: rpc as Rpc,
			collection: { id: collectionId, address: contractOf(1), standard: "erc721" },
			signal: new AbortController().signal,
			untold: async (id) => void lab.untold.push(id),
		});
		return { lab, supply };
	}

	/** All that is left, waiting where nothing is at hand. */
	async function rest({ supply }: ReturnType<typeof createLab>): Promise<DueToken[]> {
		const taken: DueToken[] = [];
		while (!supply.isDone()) {
			const due = supply.take();
			if (due) taken.push(due);
			else await supply.filled();
		}
		return taken;
	}

	test("every due token is returned once, by id, and one without a URI is marked", async () => {
		const made = createLab();
		const ids = Array.from({ length: TOKENS }, (_, id) => BigInt(id)).filter((id) => id !== UNTOLD);
		expect(await rest(made)).toEqual(
			ids.map((tokenId) => ({ tokenId, uri: `ipfs://cats/${tokenId}` })),
		);
		expect(made.lab.untold).toEqual([UNTOLD]);
		expect(made.supply.take()).toBeNull();
	});

	test("the next part is requested before the last one is used up, and not earlier", async () => {
		const { lab, supply } = createLab();
		await supply.filled();
		const early = PART_TOKENS_MAX - 1 - AHEAD_TOKENS;
		for (let taken = 0; taken < early; taken++) expect(supply.take()).not.toBeNull();
		await supply.close();
		expect(lab.parts).toBe(1);
		expect(supply.take()).not.toBeNull();
		await supply.close();
		expect(lab.parts).toBe(2);
		expect(supply.isDone()).toBe(false);
	});

	test("tokens whose URIs hold a drawing are all returned, and a few of them are held at once", async () => {
		const made = createLab();
		const KIB_600 = 614_400;
		made.lab.padding = `?${"x".repeat(KIB_600)}`;
		const { supply, lab } = made;
		const seen: bigint[] = [];
		let heldMost = 0;
		while (!supply.isDone()) {
			const due = supply.take();
			heldMost = Math.max(heldMost, lab.alone - seen.length);
			if (due) {
				expect(due.uri.length).toBeGreaterThan(KIB_600);
				seen.push(due.tokenId);
			} else await supply.filled();
		}
		expect(seen).toHaveLength(TOKENS - 1);
		expect(seen.toSorted((a, b) => Number(a - b))).toEqual(seen);
		expect(heldMost).toBeGreaterThan(4);
		expect(heldMost).toBeLessThan(64);
	});

	test("after a node falls silent the supply of tokens ends for all who wait", async () => {
		const { lab, supply } = createLab();
		await supply.filled();
		lab.isUp = false;
		for (let taken = 0; taken < PART_TOKENS_MAX - 1; taken++) expect(supply.take()).not.toBeNull();
		await supply.close();
		expect(supply.take()).toBeNull();
		expect(supply.isDone()).toBe(false);
		const waits = await Promise.allSettled([supply.filled(), supply.filled()]);
		expect(waits.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	});
});

describe("readUrisOf", () => {
	/** A node whose contract answers a text made of the call's data. */
	function nodeOf(answer: (data: string) => string | null) {
		const calls: RpcCall[] = [];
		const rpc: Pick<Rpc, "settle"> = {
			async settle(given) {
				calls.push(...given);
				return given.map(({ params }) => {
					const [{ data }] = params as [{ data: string }];
					const text = answer(data);
					const result = text === null ? "0x" : encodeAbiParameters([{ type: "string" }], [text]);
					return { kind: "result", result };
				});
			},
		};
		return { rpc: rpc as Rpc, calls };
	}

	const address = contractOf(7);
	const signal = new AbortController().signal;
	const read = (rpc: Rpc, standard: "erc721" | "erc1155", ids: readonly bigint[]) => {
		const asked = ids.map((tokenId) => ({ contract: { address, standard }, tokenId }));
		return readUrisOf(rpc, asked, { signal });
	};

	test("each token standard is called by its own function, with the id as one word", async () => {
		for (const [standard, signature] of [
			["erc721", "tokenURI(uint256)"],
			["erc1155", "uri(uint256)"],
		] as const) {
			const { rpc } = nodeOf((data) => data);
			const [uri] = await read(rpc, standard, [2n ** 256n - 1n]);
			expect(uri).toBe(`${toFunctionSelector(signature)}${"f".repeat(64)}`);
		}
	});

	test("every {id} is replaced by 64 lower-case hex digits, and nothing else is changed", async () => {
		const { rpc } = nodeOf(() => " https://x.test/{id}/{id}?a={ID} ");
		const word = "ab".padStart(64, "0");
		expect(await read(rpc, "erc1155", [0xabn])).toEqual([`https://x.test/${word}/${word}?a={ID}`]);
	});

	test("no answer and an empty one give no URI, and the others keep their positions", async () => {
		const { rpc } = nodeOf((data) => (data.endsWith("1") ? null : data.endsWith("2") ? " " : "x"));
		expect(await read(rpc, "erc721", [1n, 2n, 3n])).toEqual(["", "", "x"]);
	});
});
