// Measures transfers and trades, from the request until they are handed over.

import { join } from "node:path";
import { Client } from "pg";
import { parseEther } from "viem";
import { z } from "zod";
import { startStockTrading } from "#test/bench/chain/startNode.ts";
import { type AuditCost, auditCostOf, settleBooks } from "#test/bench/measure/intentBooks.ts";
import { openTrading, type Trading } from "#test/bench/measure/openTrading.ts";
import { cpuSecondsOf, descendantsOf } from "#test/bench/measure/processCost.ts";
import {
	type Parallel,
	runParallel,
	runSettlement,
	type Settlement,
} from "#test/bench/measure/runSettlement.ts";
import { type TurnTold, turnTold } from "#test/bench/measure/runTurn.ts";
import { openScript, type Scope, type Script } from "#test/bench/measure/startServiceProcess.ts";
import { median } from "#test/bench/statistics.ts";

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

export type Trades = {
	commands: readonly TimedCommand[];
	crowd: TurnTold;
	/** Milliseconds of the processor for one trade of the crowd. */
	shares: Shares;
	/** Requested trades, each of them confirmed with one swap. */
	settled: number;
};

type Turn = TurnTold & { shares: Shares };

type Counts = { trades: number; confirmed: number; open: number; mined: number };

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

type Side = { name: keyof typeof ORDERS; script: Script; turns: Record<Kind, Turn[]> };

const singleTold = z.object({
	quoteMs: z.array(z.number()),
	tradeMs: z.array(z.number()),
	confirmMs: z.array(z.number()),
});

/** A command one at a time: to its quotes, to its first step, and from its owner's yes to that. */
export type TimedCommand = z.output<typeof singleTold> & { command: string };

export const TRADE_OWNERS = 96;
export const TRADES_IN_FLIGHT = 24;
/** Direct; by an allowance first; by WETH alone; with the most routes that are tried. */
const COMMANDS = [
	"buy TSLA with 0.001 ETH",
	"buy AAPL with 1 USDG",
	"buy GOOGL with 1 USDG",
	"buy 0.001 NVDA",
];
const CROWD_COMMAND = "buy TSLA with 0.0005 ETH";
const SINGLE = { warm: 6, rounds: 24 };
const WARM_CROWD = { inFlight: TRADES_IN_FLIGHT, warmMs: 0, countMs: 1_500 };
const CROWD = { inFlight: TRADES_IN_FLIGHT, warmMs: 500, countMs: 4_000 };
const SETTLED_TIMEOUT_MS = 90_000;
const POLL_MS = 200;

const COUNTS = `select count(*) filter (where kind = 'trade')::int as trades,
		count(*) filter (where kind = 'trade' and status = 'confirmed')::int as confirmed,
		count(*) filter (where status in
			('created', 'waiting', 'submitting', 'submitted', 'uncertain'))::int as open,
		(select count(*) from wallets.submission where state = 'mined')::int as mined
	from wallets.intent`;

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

/**
 * Measures trades by HTTP against the sandbox's Uniswap and hosted router: one at a time, and many
 * at a time from many wallets. It counts only if in the end each trade is confirmed, with one swap.
 */
export async function runTrades(options: {
	scope: Scope;
	runtimeArgs: readonly string[];
}): Promise<Trades> {
	const { scope } = options;
	const trading = await openTrading({
		...{ ...options, owners: TRADE_OWNERS, strangers: 0, place: startStockTrading },
	});
	const { service, owners } = trading;
	await untilRegistered(service.url);
	const script = openScript(scope, [join(import.meta.dir, "tradeLoad.ts"), service.url]);
	script.order({ owners });
	const told = () => Promise.race([script.line(), service.failed]);
	const commands: TimedCommand[] = [];
	for (const command of COMMANDS) {
		script.order({ kind: "single", command, ...SINGLE });
		commands.push({ command, ...singleTold.parse(await told()) });
	}
	script.order({ kind: "crowd", command: CROWD_COMMAND, turn: WARM_CROWD });
	await told();
	const order = { kind: "crowd", command: CROWD_COMMAND, turn: CROWD };
	const { told: crowd, shares } = await billTurn(trading, { script, order });
	await script.stop();
	const settled = await Promise.race([settle(trading), service.failed]);
	await trading.close();
	return { commands, crowd, shares, settled };
}

/**
 * Runs a script's turn, and returns its result with the shares of the processor for each thing
 * done.
 */
async function billTurn(
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

function openBare(scope: Scope, { custody, connectionString, strangers }: Trading): Side {
	const path = join(import.meta.dir, "../reference/bareIntents.ts");
	const raw = String(parseEther(AMOUNT_ETH));
	const script = openScript(scope, [path, connectionString, raw]);
	const { walletProviderUrl: url, walletProvider } = custody;
	script.order({ custody: { url, ...walletProvider }, wallets: strangers });
	return { name: "bare", script, turns: { single: [], crowd: [] } };
}

function openService(scope: Scope, { service, owners }: Trading): Side {
	const path = join(import.meta.dir, "intentLoad.ts");
	const script = openScript(scope, [path, service.url, AMOUNT_ETH]);
	script.order({ owners });
	return { name: "service", script, turns: { single: [], crowd: [] } };
}

async function takeTurns(
	trading: Trading,
	{ sides, kind }: { sides: readonly Side[]; kind: Kind },
): Promise<void> {
	for (let turn = 0; turn < WARM_TURNS + TURNS; turn++) {
		for (const side of sides) await takeTurn(trading, side, kind);
	}
}

async function takeTurn(trading: Trading, side: Side, kind: Kind): Promise<void> {
	const { script, turns, name } = side;
	const { told, shares } = await billTurn(trading, { script, order: ORDERS[name][kind] });
	turns[kind].push({ ...told, shares });
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

async function untilRegistered(url: string): Promise<void> {
	const deadlineMs = performance.now() + SETTLED_TIMEOUT_MS;
	for (;;) {
		const response = await fetch(`${url}/v1/stock-tokens?limit=200`);
		if (/"NVDA"/.test(await response.text())) return;
		if (performance.now() > deadlineMs) throw new Error("the registry is empty");
		await Bun.sleep(POLL_MS);
	}
}

/** Waits for the end of all, and compares trades, submissions and chain. */
async function settle({ connectionString, chain, custody }: Trading): Promise<number> {
	const client = new Client({ connectionString });
	await client.connect();
	try {
		const deadlineMs = performance.now() + SETTLED_TIMEOUT_MS;
		for (;;) {
			const { rows } = await client.query<Counts>(COUNTS);
			const [counts] = rows;
			if (!counts) throw new Error("nothing was counted");
			if (counts.open === 0) {
				if (counts.confirmed !== counts.trades) throw new Error(`amiss: ${JSON.stringify(counts)}`);
				let sent = 0;
				for (const { address } of custody.people) {
					sent += Number(await chain.call("eth_getTransactionCount", [address, "latest"]));
				}
				if (sent !== counts.mined) throw new Error(`${sent} are mined, ${counts.mined} known`);
				return counts.trades;
			}
			if (performance.now() > deadlineMs) throw new Error(`${counts.open} intents are open`);
			await Bun.sleep(POLL_MS);
		}
	} finally {
		await client.end();
	}
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
