// Measures texts that are answered over HTTP.

import {
	type Cpu,
	type MarketService,
	type MarketServiceOptions,
	openMarketService,
} from "#test/bench/measure/openMarketService.ts";
import { peakMemoryMb } from "#test/bench/measure/processCost.ts";
import { runTurn } from "#test/bench/measure/runTurn.ts";

/**
 * The cost of a text about the market from its request to its reply, and the memory of all
 * channels.
 */
export type AgentReplies = {
	/** For each kind of text, one request at a time. */
	reads: readonly AgentRead[];
	/** Cores that the service's own work took, PostgreSQL included, just before these. */
	beside: number;
	/** Of the service's process, after `requests` of several at once and what was timed. */
	memory: { peakMb: number; startMb: number; requests: number };
};

/** `cpu` is seconds of the processor for one reply. */
export type AgentRead = { name: string; delaysMs: readonly number[]; cpu: Cpu };

/**
 * Asked about in turn: opening a collection has its book kept current, and most of them were opened
 * just before, so that the answer alone is measured.
 */
const COLLECTIONS = 50;
const TOKENS = 40;
/** For each kind of text, one after the other: other work of the service meets all of them. */
const ROUNDS = 4;
const COUNT_MS = 1_200;
/** The first work on a fresh index (tokens, syncs, streams) is no part of an answer. */
const QUIET_CORES = 0.15;
const QUIET_TIMEOUT_MS = 45_000;
const LOOK_MS = 3_000;
const MIXED = { inFlight: 8, warmMs: 0, countMs: 20_000 } as const;

/** Returns a collection by slug, and every other time by name, as people write it. */
const named = (turn: number) => {
	const number = 1 + (turn % COLLECTIONS);
	return number % 2 === 0 ? `collection-${number}` : `"Collection ${number}"`;
};

const texts = {
	floor: (turn) => `floor ${named(turn)}`,
	volume: (turn) => `volume ${named(turn)} 24h`,
	sales: (turn) => `sales ${named(turn)}`,
	token: (turn) => `token #${1 + (turn % TOKENS)} of ${named(turn)}`,
	holders: (turn) => `holders ${named(turn)}`,
	mints: (turn) => `mints ${named(turn)}`,
	lifecycle: (turn) => `lifecycle ${named(turn)}`,
	discover: () => "discover",
} satisfies Record<string, (turn: number) => string>;

/** Asks the running service by texts, over HTTP, about an index with full tables. */
export async function runAgent(options: MarketServiceOptions): Promise<AgentReplies> {
	const market = await openMarketService("agent", options);
	const { service } = market;
	const startMb = peakMemoryMb(service.pid);
	// First, so that the timed service has seen it all, and has joined its stream.
	const requests = await Promise.race([askMixed(service.url), service.failed]);
	const beside = await Promise.race([untilQuiet(market.bill), service.failed]);
	const reads = await Promise.race([measureReads(market), service.failed]);
	const peakMb = peakMemoryMb(service.pid);
	await market.close();
	return { reads, beside, memory: { peakMb, startMb, requests } };
}

/** Waits for the service to rest, for a while; returns how many cores it takes then. */
async function untilQuiet(bill: () => Cpu): Promise<number> {
	const untilMs = performance.now() + QUIET_TIMEOUT_MS;
	for (;;) {
		const [before, beganMs] = [bill(), performance.now()];
		await Bun.sleep(LOOK_MS);
		const [after, endedMs] = [bill(), performance.now()];
		const seconds = after.service + after.postgres - before.service - before.postgres;
		const cores = (seconds * 1_000) / (endedMs - beganMs);
		if (cores < QUIET_CORES || endedMs > untilMs) return cores;
	}
}

async function measureReads(market: MarketService): Promise<AgentRead[]> {
	const measured = Object.entries(texts).map(([name, textOf]) => {
		return { name, textOf, delaysMs: [] as number[], cpu: { service: 0, postgres: 0 } };
	});
	for (let round = 0; round < ROUNDS; round++) {
		for (const { textOf, delaysMs, cpu } of measured) {
			const turn = await measureTurn(market, textOf);
			delaysMs.push(...turn.delaysMs);
			cpu.service += turn.cpu.service / ROUNDS;
			cpu.postgres += turn.cpu.postgres / ROUNDS;
		}
	}
	return measured;
}

async function measureTurn(
	{ service: { url }, bill }: MarketService,
	textOf: (turn: number) => string,
): Promise<Omit<AgentRead, "name">> {
	const before = bill();
	const order = { inFlight: 1, warmMs: 0, countMs: COUNT_MS };
	const { delaysMs, done } = await runTurn(order, async (_worker, turn) =>
		command(url, { text: textOf(turn), turn }),
	);
	const after = bill();
	const cpu = {
		service: (after.service - before.service) / done,
		postgres: (after.postgres - before.postgres) / done,
	};
	return { delaysMs, cpu };
}

/**
 * Sends texts, chats and MCP requests in turn, of all kinds of text; returns how many there were.
 */
async function askMixed(url: string): Promise<number> {
	const kinds = Object.values(texts);
	const { done } = await runTurn(MIXED, async (worker, each) => {
		const turn = each * MIXED.inFlight + worker;
		const text = (kinds[turn % kinds.length] ?? texts.floor)(turn);
		const ways = [
			() => command(url, { text, turn }),
			() => chat(url, { text, turn }),
			() => callTool(url, turn),
			() => listTools(url, turn),
		];
		await ways[Math.floor(turn / kinds.length) % ways.length]?.();
	});
	return done;
}

type Asked = { text: string; turn: number };

async function command(url: string, { text, turn }: Asked): Promise<void> {
	const reply = await post(`${url}/v1/agent/command`, { turn, body: { text } });
	if (!reply.includes('"kind":"done"')) throw new Error(`${text}: ${reply}`);
}

async function chat(url: string, { text, turn }: Asked): Promise<void> {
	const message = { id: `m${turn}`, role: "user", parts: [{ type: "text", text }] };
	const stream = await post(`${url}/v1/agent/chat`, { turn, body: { messages: [message] } });
	if (!stream.includes('"type":"tool-output-available"')) throw new Error(`${text}: ${stream}`);
}

async function callTool(url: string, turn: number): Promise<void> {
	const collection = `collection-${1 + (turn % COLLECTIONS)}`;
	const params = { name: "read_floor", arguments: { collection } };
	const answer = await exchange(url, { turn, method: "tools/call", params });
	if (!answer.includes('"structuredContent"')) throw new Error(`read_floor: ${answer}`);
}

async function listTools(url: string, turn: number): Promise<void> {
	const answer = await exchange(url, { turn, method: "tools/list", params: {} });
	if (!answer.includes('"read_floor"')) throw new Error(`tools/list: ${answer}`);
}

/** Makes one exchange of the Model Context Protocol: nothing is kept between two of them. */
function exchange(
	url: string,
	{ turn, ...call }: { turn: number; method: string; params: object },
): Promise<string> {
	const body = { jsonrpc: "2.0", id: turn, ...call };
	return post(`${url}/v1/agent/mcp`, { turn, body });
}

/** Posts as another client each time, so that none meets its rate limit. */
async function post(url: string, { turn, body }: { turn: number; body: object }): Promise<string> {
	const response = await fetch(url, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
			"x-forwarded-for": `10.8.${(turn >> 8) & 255}.${turn & 255}`,
		},
		body: JSON.stringify(body),
	});
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`);
	return text;
}
