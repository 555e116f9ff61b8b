import { join } from "node:path";
import { Client } from "pg";
import { z } from "zod";
import { startStockTrading } from "#test/bench/chain/startStockTrading.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { openScript } from "#test/bench/measure/openScript.ts";
import { openTrading, type Trading } from "#test/bench/measure/openTrading.ts";
import { billTurn, type Shares } from "#test/bench/measure/runIntents.ts";
import type { TurnTold } from "#test/bench/measure/runTurn.ts";

const singleTold = z.object({
	quoteMs: z.array(z.number()),
	tradeMs: z.array(z.number()),
	confirmMs: z.array(z.number()),
});

/** A command one at a time: to its quotes, to its first step, and from its owner's yes to that. */
export type TimedCommand = z.output<typeof singleTold> & { command: string };

export type Trades = {
	commands: readonly TimedCommand[];
	crowd: TurnTold;
	/** Milliseconds of the processor for one trade of the crowd. */
	shares: Shares;
	/** Requested trades, each of them confirmed with one swap. */
	settled: number;
};

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

type Counts = { trades: number; confirmed: number; open: number; mined: number };

const COUNTS = `select count(*) filter (where kind = 'trade')::int as trades,
		count(*) filter (where kind = 'trade' and status = 'confirmed')::int as confirmed,
		count(*) filter (where status in
			('created', 'waiting', 'submitting', 'submitted', 'uncertain'))::int as open,
		(select count(*) from wallets.submission where state = 'mined')::int as mined
	from wallets.intent`;
