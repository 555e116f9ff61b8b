import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Hex } from "viem";
import type { Database } from "#core/db/Database.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { openStream, startTestService, type TestStream } from "#test/harness/startTestService.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { until } from "#test/harness/until.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

// Guarantee: however many processes there are, whichever of them die, stall or are replaced, and
// whatever happens to Redis, the index is what one undisturbed process would have made of the
// chain, and every client was sent each frame once.

const ROOT = join(import.meta.dir, "../..");
const STEPS_MAX = 5_000;
/**
 * How often a lane may change hands: by each of the four lost workers, by a stall noticed on both
 * sides, and more on a machine that itself stalls. Without leases it is hundreds.
 */
const TURNS_MAX = 25;
/** Enough work that a disturbance comes in the middle of it. */
const BLOCKS_AHEAD_MAX = 50;
/** Frames sent between two disturbances. */
const FRAMES_BETWEEN = 20;
const ETHER = 10n ** 18n;
const SEED = Number(process.env["MANY_PROCESSES_SEED"] ?? TEST_SEED);

const testWithRedis = skipWithReason(whyNoRedis);
const undo: (() => Promise<unknown> | unknown)[] = [];
let anvil: Anvil;
let redis: TestRedis;
let database: TestDatabase;

beforeAll(async () => {
	if (whyNoRedis !== null) return;
	[anvil, redis, database] = await Promise.all([startAnvil(), startRedis(), createTestDatabase()]);
	undo.push(anvil.stop, redis.stop, database.drop);
});
afterAll(async () => {
	for (const step of undo.splice(0).reverse()) await step();
});

type Running = { role: string; url: string; holder: string; process: Subprocess };

/**
 * Starts the service as an operator does: as a process of its own, configured by its environment.
 */
async function start(role: "api" | "worker"): Promise<Running> {
	const child = Bun.spawn([process.execPath, "api/cli/start.ts"], {
		cwd: ROOT,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: process.env["HOME"] ?? "/tmp",
			ROLE: role,
			PORT: "0",
			DATABASE_URL: database.connectionString,
			REDIS_URL: redis.url,
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [anvil.url, anvil.wsUrl] }),
			NFT_SCAN_FROM_BLOCK: "0",
			RPC_POLL_MS: "100",
			LOG_LEVEL: "silent",
		},
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
	});
	const killNow = () => child.kill("SIGKILL");
	process.once("exit", killNow);
	undo.push(async () => {
		process.off("exit", killNow);
		killNow();
		await child.exited;
	});
	const url = await printedUrl(child);
	const health = (await (await fetch(`${url}/healthz`)).json()) as { holder: string };
	return { role, url, holder: health.holder, process: child };
}

async function printedUrl(child: Subprocess<"ignore", "ignore", "pipe">): Promise<string> {
	let text = "";
	const late = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
	const decoder = new TextDecoder();
	const found = Promise.withResolvers<string>();
	(async () => {
		for await (const chunk of child.stderr) {
			text += decoder.decode(chunk, { stream: true });
			const url = /market\s+(http:\/\/[^/]+)\//.exec(text)?.[1];
			if (url) found.resolve(url);
		}
		found.reject(new Error(`ended before it was up:\n${text}`));
	})();
	return found.promise.finally(() => clearTimeout(late));
}

/** Makes mints and sales, a block each; counts what the index must hold in the end. */
async function createTraffic(random: Prng) {
	const seaport = await deploySeaport(anvil);
	const chain = await fixturesOn(anvil);
	const [, seller = "0x", buyer = "0x"] = seaport.accounts;
	const contracts = [
		await chain.deploy("Plain721", ["First", 0n]),
		await chain.deploy("Plain721", ["Second", 0n]),
	];
	const made = { mints: 0, sales: 0 };
	return {
		made,
		async step() {
			if (random.chance(0.5)) {
				const count = 1 + random.int(4);
				await chain.call("Plain721", random.pick(contracts), "mint", [buyer, BigInt(count)]);
				made.mints += count;
				return;
			}
			const price = (ETHER * BigInt(1 + random.int(300))) / 100n;
			const id = await seaport.mintNft(seller);
			const order = await seaport.sign({
				offerer: seller,
				offer: [seaport.nft(id)],
				consideration: [seaport.to(seller, seaport.native(price))],
			});
			await seaport.fulfillBasicOrder(order, { from: buyer, value: price });
			made.mints += 1;
			made.sales += 1;
		},
	};
}

const headOf = async () => Number(await anvil.rpc<Hex>("eth_blockNumber"));

/** Waits until both lanes have committed the block, and owe nothing below it. */
async function indexed(block: number): Promise<void> {
	await until(async () => {
		const [row] = await database.db.query<{ done: boolean }>(
			`select count(*) = 2 and min(block_number) >= $1
				and not exists (select from chain_scanner.gap) as done
			from chain_scanner.cursor where lane in ('mint', 'sale')`,
			[block],
		);
		return row?.done === true;
	}, `block ${block} is indexed`);
}

/**
 * Waits while the index is far behind: a slow machine could not catch up with the blocks made while
 * a lease runs out.
 */
async function notFarAhead(goesOn: () => boolean): Promise<void> {
	const head = await headOf();
	await until(async () => {
		const [row] = await database.db.query<{ block: number }>(
			"select coalesce(min(block_number), 0) as block from chain_scanner.cursor",
		);
		return !goesOn() || head - (row?.block ?? 0) < BLOCKS_AHEAD_MAX;
	}, `the index comes within ${BLOCKS_AHEAD_MAX} blocks of ${head}`);
}

type Fleet = { workers: Running[]; random: Prng; replaced: Promise<void>[] };

/** Kills a worker (`kill -9`) and starts another one in its place. */
function replace(fleet: Fleet, victim: Running): void {
	victim.process.kill("SIGKILL");
	fleet.workers.splice(fleet.workers.indexOf(victim), 1);
	fleet.replaced.push(start("worker").then((next) => void fleet.workers.push(next)));
}

const leaseHolders = () =>
	database.db.query<{ name: string; holder: string }>(
		`select name, holder from core.lease
		where expires_at > clock_timestamp() and name not like '%backfill%' order by name`,
	);

/** Returns a worker that holds a lease: killing an idle one would prove little. */
async function busyWorker({ workers, random }: Fleet): Promise<{ worker: Running; lease: string }> {
	let found: { worker: Running; lease: string }[] = [];
	await until(async () => {
		found = (await leaseHolders()).flatMap(({ name, holder }) =>
			workers
				.filter((worker) => worker.holder === holder)
				.map((worker) => ({ worker, lease: name })),
		);
		return found.length > 0;
	}, "some worker holds a lease");
	return random.pick(found);
}

/** Stops a worker in the middle of its work until others may take it over, then wakes it. */
async function stall(fleet: Fleet): Promise<void> {
	const { worker, lease } = await busyWorker(fleet);
	worker.process.kill("SIGSTOP");
	// If it stops inside a transaction it keeps the row, and the others wait for it: that is right
	// too.
	await until(async () => {
		const rows = await database.db.query(
			`select from core.lease where name = $1
			and (holder <> $2 or expires_at < clock_timestamp() - interval '1 second')`,
			[lease, worker.holder],
		);
		return rows.length > 0;
	}, "the stalled worker lost its lease");
	worker.process.kill("SIGCONT");
}

/** Waits for new frames: near the head each mint and sale is published by itself. */
async function live(): Promise<void> {
	const seq = async () => {
		const [row] = await database.db.query<{ seq: number }>(
			"select seq from core.stream_head where topic = 'discover:anvil'",
		);
		return row?.seq ?? 0;
	};
	const enough = (await seq()) + FRAMES_BETWEEN;
	await until(async () => (await seq()) >= enough, "frames are told again");
}

async function disturb(fleet: Fleet): Promise<void> {
	const { random, workers } = fleet;
	await live();
	replace(fleet, (await busyWorker(fleet)).worker);
	await live();
	await redis.kill();
	await live();
	await stall(fleet);
	await live();
	await redis.restart();
	replace(fleet, random.pick(workers));
	replace(fleet, (await busyWorker(fleet)).worker);
	await Promise.all(fleet.replaced);
	await live();
}

testWithRedis(
	"[STR-06] [ING-09] workers that die and stall, and a Redis that dies, leave no trace",
	async () => {
		console.log(`manyProcesses: MANY_PROCESSES_SEED=${SEED}`);
		const random = createPrng(SEED);
		const [traffic, apis, workers] = await Promise.all([
			createTraffic(createPrng(SEED + 1)),
			Promise.all([start("api"), start("api")]),
			Promise.all([start("worker"), start("worker"), start("worker")]),
		]);
		const streams = await Promise.all(apis.map(({ url }) => discoverStream(url)));

		let disturbing = true;
		const disturbed = disturb({ workers, random, replaced: [] }).finally(() => {
			disturbing = false;
		});
		disturbed.catch(() => {});
		for (let step = 0; disturbing && step < STEPS_MAX; step++) {
			await traffic.step();
			await notFarAhead(() => disturbing);
		}
		await disturbed;
		await indexed(await headOf());

		const linear = await startTestService({
			chain: anvil,
			env: { NFT_OWNERSHIP_WALKS_MAX: "500" },
		});
		undo.push(linear.database.drop, linear.stop);
		await linear.indexed(await headOf());
		const [many, one] = [await tablesOf(database.db), await tablesOf(linear.core.db)];
		expect(many).toEqual(one);
		const owners = await ownersOf(linear.core.db);
		expect(owners.length).toBeGreaterThan(2);
		expect(await ownersOf(database.db)).toEqual(owners);
		expect(await countsOf(database.db)).toEqual(traffic.made);
		expect(traffic.made.sales).toBeGreaterThan(20);
		expect(await turnsMax(database.db)).toBeLessThanOrEqual(TURNS_MAX);

		const stored = await storedFrames(database.db);
		for (const stream of streams) expect(await toldBy(stream, stored.length)).toEqual(stored);
		for (const { url } of apis) await until(() => isUp(url), "Redis is used again");
	},
);

async function discoverStream(url: string): Promise<TestStream> {
	const ws = url.replace(/^http/, "ws");
	const stream = await openStream(`${ws}/v1/nft-market/discover/stream?chain=anvil`);
	undo.push(stream.close);
	return stream;
}

/**
 * Columns that jobs read from contracts at any time, with the words of the search; and names that
 * this database gave.
 */
const NOT_COMPARED = [
	"id",
	"registered_at",
	"slug",
	"name",
	"words",
	"image_url",
	"max_supply",
	"total_supply",
	"supply_mints",
	"supply_at",
	"metadata_at",
	"learned_at",
	"sync_status",
];
const TABLES_OF_JOBS = ["currency", "former_slug", "recipients", "token", "trait_count"];
/** How owners are stored depends on when a contract came to be watched; see `ownersOf`. */
const TABLES_OF_OWNERS = [
	"owned_span",
	"owned_units",
	"holder",
	"ownership",
	"owner_garbage",
	"owner_journal",
	"span_before",
	"units_added",
];

/** Returns every row of every table of the index, by table, with addresses in place of ids. */
async function tablesOf(db: Database): Promise<Record<string, string[]>> {
	const tables = await db.query<{ name: string }>(
		`select relname as name from pg_class
		where relnamespace = 'market_index'::regnamespace and relkind in ('r', 'p')
		and not relispartition order by relname`,
	);
	const left = [...TABLES_OF_JOBS, ...TABLES_OF_OWNERS];
	const names = tables.map(({ name }) => name).filter((name) => !left.includes(name));
	expect(names).toEqual(expect.arrayContaining(["collection", "event", "rollup_minute"]));
	const rows: Record<string, string[]> = {};
	for (const name of names) {
		const found = await db.query<{ row: string }>(
			`select (to_jsonb(t) - $1::text[] || jsonb_build_object('collection_id', (
				select encode(address, 'hex') from market_index.collection
				where id = (to_jsonb(t) ->> 'collection_id')::int
			)))::text as row from market_index."${name}" as t order by 1`,
			[NOT_COMPARED],
		);
		rows[name] = found.map(({ row }) => row);
	}
	return rows;
}

/** Returns who holds how much of each contract, once everything was walked. */
async function ownersOf(db: Database): Promise<unknown[]> {
	const head = await headOf();
	await until(async () => {
		const [row] = await db.query<{ done: boolean }>(
			`select bool_and(coalesce(o.next_block > o.end_block, false)) and exists (
				select from chain_scanner.cursor where lane = 'transfer' and block_number >= $1
			) as done
			from market_index.collection as c
			left join market_index.ownership as o on o.collection_id = c.id`,
			[head],
		);
		return row?.done === true;
	}, "every contract was walked");
	return db.query(
		`select encode(o.address, 'hex') as contract, o.owners, o.minted, o.burned,
			encode(h.owner, 'hex') as owner, h.units
		from market_index.ownership as o left join market_index.holder as h on h.set_id = o.set_id
		order by o.address, h.owner`,
	);
}

/** Returns how often a lane changed hands: a lease's token grows with each new holder. */
async function turnsMax(db: Database): Promise<number> {
	const [row] = await db.query<{ most: number }>(
		"select max(token)::int as most from core.lease where name like 'lane:%'",
	);
	return row?.most ?? 0;
}

async function countsOf(db: Database): Promise<{ mints: number; sales: number }> {
	const [row] = await db.query<{ mints: number; sales: number }>(
		`select (count(*) filter (where venue is null))::int as mints,
			(count(*) filter (where venue is not null))::int as sales from market_index.event`,
	);
	return row ?? { mints: 0, sales: 0 };
}

type Told = { seq: number; type: string; data: unknown };

/** Returns the log of the topic, numbered from one. */
async function storedFrames(db: Database): Promise<Told[]> {
	const batches = await db.query<{ first: number; frames: string }>(
		`select seq_first as first, frames from core.stream_frame
		where topic = 'discover:anvil' order by seq_first`,
	);
	return batches.flatMap(({ first, frames }) =>
		(JSON.parse(frames) as Omit<Told, "seq">[]).map(({ type, data }, index) => {
			return { seq: first + index, type, data };
		}),
	);
}

/** Returns what a client received up to this number, in the order of arrival. */
async function toldBy(stream: TestStream, seq: number): Promise<Told[]> {
	await stream.next((frame) => frame.seq >= seq);
	const told = stream.frames.filter(({ type }) => type !== "hello" && type !== "ping");
	return told.map((frame) => ({ seq: frame.seq, type: frame.type, data: frame.data }));
}

async function isUp(url: string): Promise<boolean> {
	return (await (await fetch(`${url}/metrics`)).text()).includes("tapeline_redis_up 1");
}
