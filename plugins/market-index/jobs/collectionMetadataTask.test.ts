import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { encodeAbiParameters, stringToHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { NewJob } from "#core/queue.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import {
	byLevel,
	collectionMetadataTask,
	currencyMetadataTask,
	LEVEL_BLOCKS,
	lanesAreLevel,
	OWED_PER_TURN_MAX,
	OWED_REST_MAX_MS,
	OWED_RESTS,
	owedNamesTask,
} from "#plugins/market-index/jobs/collectionMetadataTask.ts";
import { createTaskLab } from "#plugins/market-index/jobs/testing/taskLab.ts";
import {
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	OWED_NAMES_TASK,
	OWED_REST_MIN_MS,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("collectionMetadataTask", () => {
	describe("collectionMetadataTask", () => {
		let database: TestDatabase;
		let fixture: Fixture;
		let lab: ReturnType<typeof createTaskLab>["lab"];
		let run: (contract: Address) => Promise<void>;
		let next = 0x100;

		beforeAll(async () => {
			database = await createTestDatabase();
			fixture = createMarketFixture(database.db, [ethereum]);
		});
		afterAll(() => database.drop());
		beforeEach(() => {
			const made = createTaskLab(database.db);
			lab = made.lab;
			const task = collectionMetadataTask(made.core, gateways);
			run = async (contract) => {
				const collectionId = await fixture.idOf(ethereum, contract);
				await task.run({ collectionIds: [collectionId] }, { signal: lab.signal });
			};
		});

		const gateways = { ipfs: ["https://gateway.test"], arweave: "https://arweave.test" };
		const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
		const NAME = "0x06fdde03";
		const CONTRACT_URI = "0xe8a3d485";
		const MAX_SUPPLY = "0xd5abeb01";
		const TOTAL_SUPPLY = "0x18160ddd";
		const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);
		const uint = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

		async function fresh(): Promise<Address> {
			const contract = contractOf(++next);
			await fixture.seed(ethereum, [mintOf(contract)]);
			return contract;
		}

		async function read(contract: Address) {
			const [row] = await database.db.query(
				`select slug, name, image_url as image, max_supply as max, total_supply as total,
			metadata_at as at from market_index.collection where address = $1`,
				[Buffer.from(contract.slice(2), "hex")],
			);
			return row as Record<string, unknown>;
		}

		test("[ING-04] a collection gets its name from its contract, and stays reachable by its address", async () => {
			const contract = await fresh();
			lab.answers = {
				[NAME]: text("Bored Cats"),
				[CONTRACT_URI]: text(`data:application/json;utf8,{"name":"Other","image":"ipfs://${CID}"}`),
				[MAX_SUPPLY]: uint(2n ** 256n - 1n),
				[TOTAL_SUPPLY]: uint(7n),
			};
			await run(contract);
			expect(await read(contract)).toEqual({
				slug: "bored-cats",
				name: "Bored Cats",
				image: `https://gateway.test/ipfs/${CID}`,
				max: (2n ** 256n - 1n).toString(),
				total: "7",
				at: new Date(NOW_MS),
			});
			for (const slug of ["bored-cats", contract]) {
				expect(await fixture.index.find(slug, "ethereum")).toMatchObject({ address: contract });
			}
			const before = await read(contract);
			await run(contract);
			expect(await read(contract)).toEqual(before);
		});

		test("tokens are searched only after the supply is committed", async () => {
			const contract = await fresh();
			lab.answers = { [NAME]: text("Quick"), [TOTAL_SUPPLY]: uint(7n) };
			const totals: unknown[] = [];
			lab.onQueued = async () => void totals.push((await read(contract))["total"]);
			await run(contract);
			expect(lab.jobs.map(({ task }) => task)).toEqual(["market-index.learn-tokens"]);
			expect(totals).toEqual(["7"]);
		});

		test("a missing name is taken from contractURI", async () => {
			const contract = await fresh();
			lab.answers = { [CONTRACT_URI]: text('data:application/json,{"name":"From Afar"}') };
			await run(contract);
			expect(await read(contract)).toMatchObject({
				slug: "from-afar",
				name: "From Afar",
				max: null,
			});
		});

		test("[SEC-05] a contractURI on another server gets its own job, and the name does not wait for it", async () => {
			const contract = await fresh();
			lab.answers = { [NAME]: text("Pointing"), [CONTRACT_URI]: text("https://a.test/c.json") };
			await run(contract);
			expect(await read(contract)).toMatchObject({ name: "Pointing", image: null });
			const collectionId = await fixture.idOf(ethereum, contract);
			const documents = () =>
				lab.jobs.filter(({ task }) => task === "market-index.contract-document");
			expect(documents()).toMatchObject([
				{
					payload: { collectionId, uri: "https://a.test/c.json" },
				},
			]);
			await run(contract);
			expect(documents()).toHaveLength(1);
		});

		test("a missing answer never erases a known value", async () => {
			const contract = await fresh();
			lab.answers = { [NAME]: text("Kept"), [MAX_SUPPLY]: uint(5n) };
			await run(contract);
			lab.answers = {};
			await run(contract);
			expect(await read(contract)).toMatchObject({ slug: "kept", name: "Kept", max: "5" });
		});

		test("a contract without readable answers keeps its address as slug, and that is logged", async () => {
			const contract = await fresh();
			for (const name of [text("\u0000\u202e"), `0x${"ff".repeat(32)}`, "0x1234", text(contract)]) {
				lab.answers = { [NAME]: name as string };
				await run(contract);
				expect(await read(contract)).toMatchObject({ slug: contract });
			}
			expect(lab.said).toContain("a collection has no readable name");
		});

		test("names are stored without the characters that text and jsonb refuse", async () => {
			const contract = await fresh();
			const uri = 'data:application/json,{"image":"https://x.test/\\u0000"}';
			lab.answers = { [NAME]: text("Nu\u0000l Cats"), [CONTRACT_URI]: text(uri) };
			await run(contract);
			expect(await read(contract)).toMatchObject({
				name: "Nu l Cats",
				slug: "nu-l-cats",
				image: null,
			});
		});

		test("a name that the database refuses is logged and counted, and others are stored", async () => {
			const [good, bad] = [await fresh(), await fresh()];
			const ids = [await fixture.idOf(ethereum, good), await fixture.idOf(ethereum, bad)];
			await database.db.execute(
				`alter table market_index.collection add constraint cursed
		check (id <> ${ids[1]} or name is null)`,
			);
			const made = createTaskLab(database.db);
			made.lab.answers = { [NAME]: text("Shared") };
			const task = collectionMetadataTask(made.core, gateways);
			await task.run({ collectionIds: ids }, { signal: lab.signal });
			await database.db.execute("alter table market_index.collection drop constraint cursed");
			expect(await read(good)).toMatchObject({ slug: "shared", name: "Shared" });
			expect(await read(bad)).toMatchObject({ slug: bad, name: null, at: new Date(NOW_MS) });
			expect(made.lab.said).toContain("what a contract says of itself could not be stored");
			const { body } = await made.metrics.expose();
			expect(body).toContain('collections_unstored_total{chain="ethereum"} 1');
		});

		test("after silence, or an answer of another chain, nothing is stored and the job is retried", async () => {
			const contract = await fresh();
			for (const fault of [rpcFault.transport(), rpcFault.wrongChain()]) {
				lab.answers = {
					[NAME]: text("Half"),
					[MAX_SUPPLY]: () => {
						throw fault;
					},
				};
				await expect(run(contract)).rejects.toBe(fault);
				expect(await read(contract)).toMatchObject({ name: null, at: null });
			}
		});

		test("a collection of a chain removed from CHAINS is tried again in a day, and its names wait", async () => {
			const contract = await fresh();
			lab.away = true;
			await run(contract);
			const collectionId = await fixture.idOf(ethereum, contract);
			expect(lab.jobs).toMatchObject([
				{ payload: { collectionIds: [collectionId] }, delayMs: 86_400_000 },
			]);
			expect(await read(contract)).toMatchObject({ at: null });
		});

		test("the job of a deleted collection ends without a retry", async () => {
			await run(contractOf(0xdead));
			expect(lab.jobs).toEqual([]);
		});

		test("[IDX-06] after each read of a contract, as after a mint, its new tokens are searched", async () => {
			const contract = await fresh();
			await run(contract);
			const collectionId = await fixture.idOf(ethereum, contract);
			expect(lab.jobs).toMatchObject([
				{ task: "market-index.learn-tokens", payload: { collectionId }, keepsTime: true },
			]);
		});
	});

	describe("currencyMetadataTask", () => {
		let database: TestDatabase;
		let lab: ReturnType<typeof createTaskLab>["lab"];
		let run: (address: Address) => Promise<void>;
		let next = 0x900;

		beforeAll(async () => {
			database = await createTestDatabase();
		});
		afterAll(() => database.drop());
		beforeEach(() => {
			const made = createTaskLab(database.db);
			lab = made.lab;
			const task = currencyMetadataTask(made.core);
			run = (address) => {
				const payload = task.payload.parse({ chainId: ethereum.id, address });
				return task.run(payload, { signal: lab.signal });
			};
		});

		const SYMBOL = "0x95d89b41";
		const DECIMALS = "0x313ce567";
		const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);
		const uint = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

		/** A coin that a sale was paid with. */
		async function paidWith(): Promise<Address> {
			const currency = contractOf(++next);
			const fixture = createMarketFixture(database.db, [ethereum, base]);
			await fixture.seed(ethereum, [saleOf(contractOf(1), { currency })]);
			await fixture.seed(base, [saleOf(contractOf(1), { currency })]);
			return currency;
		}

		const read = async (address: Address, chain = ethereum) =>
			(await readCurrencies(database.db, chain.id, [address])).get(address);

		test("symbol and decimals are read from the contract, on its own chain", async () => {
			const coin = await paidWith();
			expect(await read(coin)).toEqual({ symbol: null, decimals: null });
			lab.answers = { [SYMBOL]: text("USDC"), [DECIMALS]: uint(6n) };
			await run(coin);
			expect(await read(coin)).toEqual({ symbol: "USDC", decimals: 6 });
			expect(await read(coin, base)).toEqual({ symbol: null, decimals: null });
			lab.answers = {};
			await run(coin);
			expect(await read(coin)).toEqual({ symbol: "USDC", decimals: 6 });
		});

		test("a symbol is cleaned to one short line, cut between characters", async () => {
			const symbols: [string, string | null][] = [
				[stringToHex("MKR", { size: 32 }), "MKR"],
				[text("U\u0000S\u202eD"), "U S D"],
				[text("😀".repeat(40)), "😀".repeat(32)],
				[text(`${"x".repeat(31)} y`), "x".repeat(31)],
				[text(""), null],
				["0x00", null],
			];
			for (const [answer, symbol] of symbols) {
				const coin = await paidWith();
				lab.answers = { [SYMBOL]: answer, [DECIMALS]: uint(0n) };
				await run(coin);
				expect(await read(coin)).toEqual({ symbol, decimals: 0 });
			}
		});

		test("impossible decimals are unknown, and never lead to a wrong price", async () => {
			for (const [answer, decimals] of [
				[uint(77n), 77],
				[uint(78n), null],
				[uint(2n ** 256n - 1n), null],
				[text("18"), null],
			] as const) {
				const coin = await paidWith();
				lab.answers = { [DECIMALS]: answer };
				await run(coin);
				expect(await read(coin)).toEqual({ symbol: null, decimals });
			}
		});

		test("after silence nothing is stored and the job is retried", async () => {
			const coin = await paidWith();
			const fault = rpcFault.transport();
			lab.answers = {
				[SYMBOL]: text("HALF"),
				[DECIMALS]: () => {
					throw fault;
				},
			};
			await expect(run(coin)).rejects.toBe(fault);
			expect(await read(coin)).toEqual({ symbol: null, decimals: null });
		});

		test("a currency of a chain removed from CHAINS is tried again in a day", async () => {
			const coin = await paidWith();
			lab.away = true;
			await run(coin);
			const payload = { chainId: ethereum.id, address: coin };
			expect(lab.jobs).toMatchObject([{ payload, delayMs: 86_400_000 }]);
		});

		test("a payload without an address is dropped", () => {
			const { payload } = currencyMetadataTask(createTaskLab(database.db).core);
			for (const address of ["0x", contractOf(1).toUpperCase(), `${contractOf(1)}00`, "x"]) {
				expect(payload.safeParse({ chainId: 1, address }).success).toBe(false);
			}
		});
	});
});

describe("owedNames", () => {
	describe("lanesAreLevel", () => {
		type Said = Partial<Pick<LaneProgress, "headBlock" | "indexedBlock" | "owes">>;

		const scannerOf = (said: Partial<Record<LaneKind, Said>>) => ({
			async progress(chainId: number, lane: LaneKind): Promise<LaneProgress> {
				const at = { headBlock: 1_000, indexedBlock: 1_000, indexedAtMs: 0 };
				return { ...at, ...said[lane], chainId, lane };
			},
		});

		test("lanes near the head without gaps count as level, and so do chains without lanes", async () => {
			const near = { indexedBlock: 1_001 - LEVEL_BLOCKS };
			const unknown = { headBlock: null, indexedBlock: null };
			for (const said of [{}, { mint: near, sale: near }, { mint: unknown, sale: unknown }]) {
				expect(await lanesAreLevel(scannerOf(said), 1)).toBe(true);
			}
			// Owners are not asked about: their lane is the last in any case.
			expect(await lanesAreLevel(scannerOf({ transfer: { indexedBlock: 0 } }), 1)).toBe(true);
		});

		test("one lane that is behind, or has a gap, makes its chain count as behind", async () => {
			const far = { indexedBlock: 1_000 - LEVEL_BLOCKS };
			for (const said of [{ mint: far }, { sale: far }, { mint: { owes: true } }]) {
				expect(await lanesAreLevel(scannerOf(said), 1)).toBe(false);
				expect(await byLevel(scannerOf(said), [1, 2])).toEqual({ level: [], behind: [1, 2] });
			}
			expect(await byLevel(scannerOf({}), [1])).toEqual({ level: [1], behind: [] });
		});
	});

	describe("owedNamesTask", () => {
		let database: TestDatabase;
		let jobs: NewJob[];
		let read: number[][];
		let isBehind: boolean;
		let tookMs: number;
		beforeAll(async () => {
			database = await createTestDatabase();
		});
		afterAll(() => database.drop());

		const COUNT = OWED_PER_TURN_MAX + 30;
		beforeEach(async () => {
			[jobs, read, isBehind, tookMs] = [[], [], true, 0];
			await database.db.execute("truncate market_index.collection restart identity cascade");
			await database.db.execute(
				`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), n::text, 'erc721'
		from generate_series(1, $2::int4) as n`,
				[ethereum.id, COUNT],
			);
		});

		/** Makes the task; what its jobs read counts as read once the wait is over. */
		function makeTask(wait: () => Promise<void> = async () => {}) {
			let nowMs = NOW_MS;
			return owedNamesTask(
				{
					db: database.db,
					clock: { nowMs: () => nowMs },
					queue: { add: async (_tx, added) => void jobs.push(...added) },
					indexed: [{ chain: ethereum, rpcFor: () => fail(), headUrls: [] }],
					scanner: {
						async progress(chainId, lane) {
							const indexedBlock = isBehind ? 100 : 1_000;
							return { chainId, lane, headBlock: 1_000, indexedBlock, indexedAtMs: 0 };
						},
					},
				},
				async ({ collectionIds }) => {
					nowMs += tookMs;
					read.push(collectionIds);
					await wait();
					await database.db.execute(
						"update market_index.collection set metadata_at = now() where id = any($1::int4[])",
						[collectionIds],
					);
				},
			);
		}

		/** A turn of the chain; the jobs that it queued. */
		async function turn(
			given: { chainId?: number; afterId?: number } = {},
			task = makeTask(),
		): Promise<NewJob[]> {
			jobs = [];
			const payload = { chainId: ethereum.id, afterId: 0, ...given };
			await task.run(payload, { signal: new AbortController().signal });
			return jobs;
		}
		const fail = () => {
			throw new Error("nobody is asked");
		};
		const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

		test("while lanes are behind, names are read in small jobs that take at most a twentieth of the time", async () => {
			tookMs = 100;
			expect(await turn()).toMatchObject([
				{ task: OWED_NAMES_TASK, payload: { chainId: ethereum.id }, delayMs: 100 * OWED_RESTS },
			]);
			expect(read).toEqual([idsUpTo(COLLECTIONS_PER_JOB_MAX)]);
			tookMs = 0;
			expect(await turn()).toMatchObject([{ delayMs: OWED_REST_MIN_MS }]);
			tookMs = 3_600_000;
			expect(await turn()).toMatchObject([{ delayMs: OWED_REST_MAX_MS }]);
			expect(read.flat()).toEqual(idsUpTo(3 * COLLECTIONS_PER_JOB_MAX));
		});

		test("a turn that comes while names are still being read asks for none of them again", async () => {
			const reading = Promise.withResolvers<void>();
			const task = makeTask(() => reading.promise);
			const first = turn({}, task);
			await until(() => read.length === 1, "the first turn reads");
			expect(await turn({}, task)).toEqual([]);
			reading.resolve();
			await first;
			expect(jobs).toMatchObject([{ task: OWED_NAMES_TASK }]);
			await turn({}, task);
			expect(read.flat()).toEqual(idsUpTo(2 * COLLECTIONS_PER_JOB_MAX));
		});

		test("on a chain that stays behind all names are read in the end", async () => {
			for (let turns = 0; (await turn()).length > 0; turns++) expect(turns).toBeLessThan(COUNT);
			expect(read.flat()).toEqual(idsUpTo(COUNT));
		});

		test("once the lanes are level all missing names are queued, each once", async () => {
			isBehind = false;
			const first = await turn();
			const more = first.slice(-1);
			expect(more).toMatchObject([{ task: OWED_NAMES_TASK, delayMs: 0 }]);
			const [afterId = 0] = more.map(({ payload }) => (payload as { afterId: number }).afterId);
			const rest = await turn({ afterId });
			const queued = [...first.slice(0, -1), ...rest];
			expect(new Set(queued.map(({ task }) => task))).toEqual(new Set([COLLECTION_METADATA_TASK]));
			expect(
				queued.flatMap(({ payload }) => (payload as { collectionIds: number[] }).collectionIds),
			).toEqual(idsUpTo(COUNT));
			expect(read).toEqual([]);
		});

		test("the task ends if no name is missing, or if its chain has no lane any more", async () => {
			expect(await turn({ chainId: base.id })).toEqual([]);
			await database.db.execute("update market_index.collection set metadata_at = now()");
			expect(await turn()).toEqual([]);
			isBehind = false;
			expect(await turn()).toEqual([]);
			expect(read).toEqual([]);
		});
	});
});
