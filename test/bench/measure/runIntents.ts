import { join } from "node:path";
import { parseEther } from "viem";
import type { Scope } from "#test/bench/createScope.ts";
import { type AuditCost, auditCostOf } from "#test/bench/measure/auditCostOf.ts";
import { cpuSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";
import { descendantsOf } from "#test/bench/measure/descendantsOf.ts";
import { settleBooks } from "#test/bench/measure/intentBooks.ts";
import { openScript, type Script } from "#test/bench/measure/openScript.ts";
import { openTrading, type Trading } from "#test/bench/measure/openTrading.ts";
import { type Parallel, runParallel } from "#test/bench/measure/runParallel.ts";
import { runSettlement, type Settlement } from "#test/bench/measure/runSettlement.ts";
import { type TurnTold, turnTold } from "#test/bench/measure/runTurn.ts";
import { median } from "#test/bench/report/statistics.ts";

/** Seconds, or milliseconds for one intent, of the processor, by what used them. */
export type Shares = Record<"service" | "postgres" | "custody" | "node" | "asking", number>;

export type IntentSide = {
	/** One at a time: from the request's start until the intent is known to be `submitted`. */
	delaysMs: readonly number[];
	/** The same, many at a time. */
	crowdDelaysMs: readonly number[];
	/** Of many at a time: the median of all turns, and each. */
	perSecond: number;
	rates: readonly number[];
	shares: Shares;
};

export type Intents = {
	service: IntentSide;
	/** A script that writes a row and calls the wallet provider. */
	bare: IntentSide;
	/** Sent by the service, and found in its books, at the wallet provider and on chain. */
	settled: number;
	settledSeconds: number;
	audit: AuditCost;
	/** At an even pace, and not as fast as possible. */
	settlement: Settlement;
	parallel: Parallel;
};

export const INTENT_OWNERS = 96;
export const INTENTS_IN_FLIGHT = 24;
const STRANGERS = 24;
const AMOUNT_ETH = "0.0001";
const TURNS = 3;
/** Not counted: a statement is planned anew until a connection has run it a few times. */
const WARM_TURNS = 2;
const ORDERS = {
	service: {
		single: { inFlight: 1, warmMs: 100, countMs: 1_300 },
		crowd: { inFlight: INTENTS_IN_FLIGHT, warmMs: 300, countMs: 1_700 },
	},
	bare: {
		single: { inFlight: 1, warmMs: 100, countMs: 400 },
		crowd: { inFlight: INTENTS_IN_FLIGHT, warmMs: 200, countMs: 700 },
	},
};

type Kind = keyof (typeof ORDERS)["service"];
type Turn = TurnTold & { shares: Shares };
type Side = { name: keyof typeof ORDERS; script: Script; turns: Record<Kind, Turn[]> };

/**
 * Measures wallet transfers by HTTP, from the request until the intent is `submitted`: one at a
 * time, and many at a time from many wallets. In turn with a bare script on the same database,
 * wallet provider and node. It counts only if in the end nothing was paid twice and the books
 * balance.
 */
export async function runIntents(options: {
	scope: Scope;
	runtimeArgs: readonly string[];
}): Promise<Intents> {
	const { scope } = options;
	const trading = await openTrading({ ...options, owners: INTENT_OWNERS, strangers: STRANGERS });
	const bare = openBare(scope, trading);
	const service = openService(scope, trading);
	await takeTurns(trading, { sides: [bare, service], kind: "single" });
	const parallel = await runParallel(trading, AMOUNT_ETH);
	const settlement = await runSettlement(trading, service.script);
	// Crowds last: their transfers are looked after for long, and slow later measurements.
	await takeTurns(trading, { sides: [bare, service], kind: "crowd" });
	await bare.script.stop();
	await service.script.stop();
	const all = Object.values(service.turns).flat();
	const settled = all.reduce((sum, { done }) => sum + done, settlement.done + parallel.done);
	const settling = settleBooks(trading, { intents: settled, raw: parseEther(AMOUNT_ETH) });
	const { settledSeconds } = await Promise.race([settling, trading.service.failed]);
	const audit = await auditCostOf(trading, { intents: settled });
	await trading.close();
	const sides = { service: measured(service), bare: measured(bare) };
	return { ...sides, settled, settledSeconds, audit, settlement, parallel };
}

async function takeTurns(
	trading: Trading,
	{ sides, kind }: { sides: readonly Side[]; kind: Kind },
): Promise<void> {
	for (let turn = 0; turn < WARM_TURNS + TURNS; turn++) {
		for (const side of sides) await takeTurn(trading, side, kind);
	}
}

function openService(scope: Scope, { service, owners }: Trading): Side {
	const path = join(import.meta.dir, "intentLoad.ts");
	const script = openScript(scope, [path, service.url, AMOUNT_ETH]);
	script.order({ owners });
	return { name: "service", script, turns: { single: [], crowd: [] } };
}

function openBare(scope: Scope, { custody, connectionString, strangers }: Trading): Side {
	const path = join(import.meta.dir, "../reference/bareIntents.ts");
	const raw = String(parseEther(AMOUNT_ETH));
	const script = openScript(scope, [path, connectionString, raw]);
	const { walletProviderUrl: url, walletProvider } = custody;
	script.order({ custody: { url, ...walletProvider }, wallets: strangers });
	return { name: "bare", script, turns: { single: [], crowd: [] } };
}

async function takeTurn(trading: Trading, side: Side, kind: Kind): Promise<void> {
	const { script, turns, name } = side;
	const { told, shares } = await billTurn(trading, { script, order: ORDERS[name][kind] });
	turns[kind].push({ ...told, shares });
}

/**
 * Runs a script's turn, and returns its result with the shares of the processor for each thing
 * done.
 */
export async function billTurn(
	trading: Trading,
	{ script, order }: { script: Script; order: object },
): Promise<{ told: TurnTold; shares: Shares }> {
	const before = cpuOf(trading, script);
	script.order(order);
	const told = turnTold.parse(await Promise.race([script.line(), trading.service.failed]));
	const after = cpuOf(trading, script);
	const shares = eachShare((part) => ((after[part] - before[part]) * 1_000) / told.done);
	return { told, shares };
}

/** Returns the seconds that all have used so far. */
function cpuOf({ service, custody, chain, data }: Trading, script: Script): Shares {
	const postmaster = data.postmasterPid();
	const servers = postmaster === undefined ? [] : descendantsOf([postmaster]);
	return {
		service: cpuSecondsOf(service.pid),
		// A process that ends meanwhile has used time that is not counted.
		postgres: servers.reduce((sum, pid) => sum + (cpuSecondsOf(pid) || 0), 0),
		custody: cpuSecondsOf(custody.pid),
		node: cpuSecondsOf(chain.pid),
		asking: cpuSecondsOf(script.pid),
	};
}

function measured({ turns }: Side): IntentSide {
	const single = turns.single.slice(WARM_TURNS);
	const crowd = turns.crowd.slice(WARM_TURNS);
	const rates = crowd.map(({ perSecond }) => perSecond);
	return {
		delaysMs: single.flatMap(({ delaysMs }) => delaysMs),
		crowdDelaysMs: crowd.flatMap(({ delaysMs }) => delaysMs),
		perSecond: median(rates),
		rates,
		shares: eachShare((part) => median(crowd.map(({ shares }) => shares[part]))),
	};
}

function eachShare(of: (part: keyof Shares) => number): Shares {
	return {
		service: of("service"),
		postgres: of("postgres"),
		custody: of("custody"),
		node: of("node"),
		asking: of("asking"),
	};
}
