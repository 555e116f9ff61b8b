import { afterAll, beforeAll, expect, test } from "bun:test";
import { bridgeSteps, handOverSteps } from "#plugins/bridge/bridgeConfig.ts";
import { signSteps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import {
	type BridgeLane,
	bridgesBefore,
	endOf,
	entryOf,
	judgeBridges,
	openBridgeLane,
} from "#test/e2e/kills/openBridgeLane.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { LIE_KINDS, OUTCOME_KINDS, PERMIT_LIE_KINDS } from "#test/sandbox/bridge/BridgeFault.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";

// Guarantee: processes die at every step boundary, and the provider is late, lies, fails and
// repeats itself; yet its books, both chains and all records agree, and nothing is sent twice or
// lost.

const PATH = "/v1/bridges/intents";
const isProving = process.env["PROVE"] === "1";
const SEEDS = isProving ? 30 : 10;

/** What is bridged: a coin, a token behind an allowance, a token that is signed for. */
const ROUTES = {
	coin: (n: number) => `bridge 0.0${n} eth from anvil to robinhood as USDG`,
	token: (n: number) => `bridge ${n} USDG from robinhood to anvil as ETH`,
	permit: (n: number) => `bridge ${n} PUSD from robinhood to anvil as ETH`,
};
type RouteName = keyof typeof ROUTES;
const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];
/** Steps of a payment that waits for the one before it. */
const BEHIND_ALLOWANCE = ["commit.first", "commit.resume"];
/** Steps that only one of them comes by. */
const ROUTE_OF: Readonly<Record<string, RouteName>> = {
	"bridge.allowance": "token",
	"bridge.token": "permit",
	...Object.fromEntries(BEHIND_ALLOWANCE.map((step) => [step, "token" as const])),
	...Object.fromEntries([...handOverSteps, ...signSteps].map((step) => [step, "permit"])),
};
const STEPS = [
	...[...bridgeSteps, ...handOverSteps, ...signSteps, "bridge.allowance", "bridge.token"],
	// Of a payment's own path, those between a decision and what is known of it.
	...["commit.create", "commit.decide", "custody.send", "commit.outcome", "commit.found"],
	...(isProving ? ["commit.answer", "rpc.account", "commit.look", "rpc.receipt"] : []),
	...(isProving ? BEHIND_ALLOWANCE : []),
];
/** Before these is after the step before them: nothing is stored or called in between. */
const NEXT = [
	...["bridge.store", "bridge.begin", "bridge.look", "bridge.permit", "bridge.handed"],
	...["custody.send", "commit.outcome", "commit.sign"],
];
const POINTS = STEPS.flatMap((step) => {
	const isSame = !isProving && NEXT.includes(step);
	const edges: KillPoint["edge"][] = isSame ? ["after"] : ["before", "after"];
	return edges.map((edge): KillPoint => ({ step, edge, nth: 1 }));
});

/** Bridges that are asked for until a process comes by a point. */
const TRIES_MAX = 4;
/** Turns of one life, and until all is settled. */
const LIFE_TURNS = 4;
const TURNS_MAX = 80;
const TURN_MS = 2_500;
const SLOW_TURNS = 6;
const LONG_TURN_MS = 15_000;
/** Counts the turns after which the clock moves faster: only time limits are waited for then. */
const LATE_TURNS = 24;
const LATE_TURN_MS = 40_000;
const SEND = "^POST /v1/wallets/";
const PERMITS = "^POST /execute/permits";

type Asked = { key: string; command: string; id: string | null };

let lane: BridgeLane;
let asked = 0;
beforeAll(async () => {
	lane = await openBridgeLane();
});
afterAll(() => lane?.stop());

/** What goes wrong for one bridge: at the provider, on its way, and at the wallet provider. */
function disturb(prng: Prng, { isLied }: { isLied: boolean }): void {
	const { bridge, custody } = lane.world.bridges;
	const delayMs = 10 + prng.int(90);
	const outcomes = OUTCOME_KINDS.filter((kind) => OUTCOMES.includes(kind));
	if (prng.chance(0.7)) bridge.fault({ kind: prng.pick(outcomes), times: 1, delayMs });
	if (isLied) {
		// Whatever it is asked for next, one of both fits.
		bridge.fault({ kind: prng.pick(LIES), times: 1 });
		bridge.fault({ kind: prng.pick(PERMIT_LIE_KINDS), times: 1 });
	}
	const kind = prng.pick(["status", "truncated", "html"] as const);
	if (prng.chance(0.3)) bridge.fault({ kind, path: "^GET /intents", times: 1 + prng.int(3) });
	if (prng.chance(0.2)) bridge.fault({ kind: "unseen", times: 1 + prng.int(3) });
	if (prng.chance(0.5)) bridge.fault({ kind: "appends_order", times: 1 });
	if (prng.chance(0.1)) bridge.fault({ kind: "appends_text", times: 1 });
	if (prng.chance(0.2)) bridge.fault({ kind: "truncated", path: PERMITS, times: 1 });
	if (prng.chance(0.1)) bridge.fault({ kind: "status", status: 400, path: PERMITS, times: 1 });
	if (prng.chance(0.2)) custody.fault({ path: SEND, kind: "silence", when: "after", times: 1 });
	if (prng.chance(0.2)) custody.fault({ path: SEND, kind: "status", when: "before", times: 1 });
}

/** Ends that a provider's word and both chains can agree on within minutes, and one claim. */
const OUTCOMES: readonly string[] = [
	...["fill_late", "fill_short", "refund", "refund_short", "fail_then_refund", "fail_then_fill"],
	...["claims_fill", "odd_status"],
];
/** The allowance is what a token's deposit has, and no coin's. */
const LIES = LIE_KINDS.filter((kind) => kind !== "unlimited_allowance");

/** Asks for what has no answer yet: with its key, so that it is recorded once. */
async function ask(bridges: readonly Asked[]): Promise<void> {
	await Promise.all(
		bridges.map(async (one) => {
			if (one.id !== null) return;
			const { command, key } = one;
			const answer = await lane.ask(PATH, { body: { command }, key });
			if (answer.status === 201) one.id = answer.body.id;
			// 409 only until the database has noticed that the process that held the key is gone.
			else if (answer.status !== 409) throw new Error(`not asked: ${answer.text}`);
		}),
	);
}

/** Returns the records; fails where one says that it is at an end, and the books do not. */
async function look(bridges: readonly Asked[]): Promise<any[]> {
	const records: any[] = [];
	for (const { id } of bridges) {
		if (id !== null) records.push((await lane.ask(`${PATH}/${id}`)).body);
	}
	const entries = lane.world.bridges.bridge.ledger();
	for (const record of records) {
		const entry = entryOf(entries, record);
		const isEarly = record.status === "success" ? !entry?.fill : !entry?.refund;
		if (isEarly && /^(success|refund)$/.test(record.status)) early.push(record.id);
	}
	return records;
}
const early: string[] = [];

/** Does something with the service; null: it died meanwhile. */
async function alive<Result>(act: () => Promise<Result>): Promise<Result | null> {
	try {
		return await act();
	} catch (error) {
		if (!(await lane.hasDied())) throw error;
		return null;
	}
}

/** Requests bridges until the process dies at the given step, and starts the next process. */
async function dieAt(point: KillPoint, { prng, bridges }: { prng: Prng; bridges: Asked[] }) {
	const { bridge, custody } = lane.world.bridges;
	for (let times = 0; times < TRIES_MAX; times++) {
		await lane.arm(point);
		// What went wrong before may be what kept it from coming there.
		if (times > 0) {
			bridge.clearFaults();
			custody.clearFaults();
		}
		disturb(prng, { isLied: point.step === "bridge.close" });
		const route = ROUTE_OF[point.step] ?? prng.pick(ROUTE_NAMES);
		for (const name of prng.chance(0.4) ? [route, prng.pick(ROUTE_NAMES)] : [route]) {
			const command = ROUTES[name](1 + prng.int(9));
			bridges.push({ key: `kill-${asked++}`, command, id: null });
		}
		for (let turn = 0; turn < LIFE_TURNS; turn++) {
			const isAlive = await alive(async () => {
				await ask(bridges);
				await lane.tick(TURN_MS);
				await look(bridges);
				return true;
			});
			if (isAlive) continue;
			return await lane.revive();
		}
	}
	throw new Error(`no process comes by ${point.step}:${point.edge}`);
}

/** Runs the jobs until each bridge has the status of the provider's ledger; returns the rows. */
async function settle(bridges: readonly Asked[]): Promise<any[]> {
	const { bridge, custody } = lane.world.bridges;
	let records: any[] = [];
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		await ask(bridges);
		const isSlow = turn < SLOW_TURNS;
		await lane.tick(isSlow ? TURN_MS : turn < LATE_TURNS ? LONG_TURN_MS : LATE_TURN_MS);
		if (!isSlow) {
			// The clock must not run ahead of what is delayed by real time.
			await bridge.idle();
			await custody.idle();
		}
		records = await look(bridges);
		const isSettled = records.every((record) => {
			return endOf(entryOf(bridge.ledger(), record))?.includes(record.status);
		});
		if (isSettled && records.length === bridges.length && turn >= 2) return records;
	}
	throw new Error(`not settled: ${JSON.stringify(records.map(told))}`);
}

function told({ id, status, errorCode, providerStatus, origin }: any) {
	return { id, status, errorCode, providerStatus, symbol: origin?.symbol };
}

/** Points are dealt so that processes die at each of them, whichever seeds are played. */
const dealer = createPrng(TEST_SEED);
const deck = POINTS.map((point) => ({ point, at: dealer.next() }))
	.sort((one, other) => one.at - other.at)
	.map(({ point }) => point);

for (let nth = 0; nth < SEEDS; nth++) {
	const seed = TEST_SEED + nth;
	test(
		`ledger, chains and records agree whichever process is killed (TEST_SEED=${TEST_SEED}, seed ${seed})`,
		async () => {
			const prng = createPrng(seed);
			const before = await bridgesBefore(lane);
			const bridges: Asked[] = [];
			const points = deck.filter((_, at) => at % 10 === nth % 10);
			for (const point of points) await dieAt(point, { prng, bridges });
			await lane.arm(null);
			await settle(bridges);
			lane.world.bridges.bridge.clearFaults();
			lane.custody.clearFaults();
			// A claim that no chain proves is told as such after two minutes.
			for (let turn = 0; turn < 4; turn++) await lane.tick(LATE_TURN_MS);
			const records = await look(bridges);
			// Nothing comes late that changes it again.
			await lane.tick(LONG_TURN_MS);
			const again = await look(bridges);
			expect(again.map(told)).toEqual(records.map(told));
			expect(await judgeBridges(lane, { records: again, before })).toEqual([]);
			expect(early).toEqual([]);
			const [kept] = await lane.db.query<{ n: number }>(
				"select count(*)::int as n from bridge.bridge",
			);
			expect(kept?.n).toBe(asked);
		},
		5 * TEST_LIMIT_MS,
	);
}

test("deposits, permits and signed orders were each killed, and reached every outcome", async () => {
	const entries = lane.world.bridges.bridge.ledger();
	const handed = new Set(entries.flatMap(({ permit, fill }) => (fill && permit?.handed) || []));
	expect([...handed].sort()).toEqual(["eip3009", "order"]);
	const rows = await lane.db.query<{ status: string }>(
		"select distinct status from bridge.bridge order by 1",
	);
	const met = rows.map(({ status }) => status);
	const wanted = ["pending", "refund", "rejected", "success", "uncertain"];
	expect(met).toEqual(expect.arrayContaining(wanted));
});
