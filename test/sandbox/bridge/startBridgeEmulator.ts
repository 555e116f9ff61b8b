// Starts the bridge provider of the sandbox.

import type { z } from "zod";
import { type Clock, systemClock } from "#core/clock.ts";
import { sleep } from "#core/time.ts";
import {
	answerBridge,
	type BridgeDelivery,
	type BridgeOffice,
	createBridgePostbox,
	isKeyed,
	refusal,
} from "./answerBridge.ts";
import { BridgeFault, createBridgeFaults } from "./BridgeFault.ts";
import {
	type BridgeChainSetup,
	type BridgeEntry,
	type BridgeWorld,
	openBridgeChain,
} from "./BridgeWorld.ts";
import { createSolver } from "./createSolver.ts";

export type BridgeEmulatorOptions = {
	chains: readonly BridgeChainSetup[];
	port?: number | undefined;
	/** What `x-api-key` must be where it is sent, and what signs webhooks. */
	apiKey?: string;
	clock?: Clock;
	/** How often it looks for deposits. */
	pollMs?: number;
};

export type BridgeEmulator = {
	url: string;
	apiKey: string;
	chains: BridgeWorld["chains"];
	/** Its own books: every request that it quoted, and what it paid for it. */
	ledger(): readonly BridgeEntry[];
	fault(order: z.input<typeof BridgeFault>): void;
	clearFaults(): void;
	/** What is late goes on now. */
	release(): void;
	/** Each quote goes through this before it is answered; null: as it is. */
	spoilQuotes(spoil: ((quote: any) => any) | null): void;
	/** Changes how a chain is published: `isDisabled`, `isLagging`. */
	publish(chainId: number, change: Partial<BridgeChainSetup>): void;
	/** Calls as `METHOD /path?query`, with the key that came, oldest first. */
	calls(): readonly { call: string; key: string | null }[];
	hinted: BridgeOffice["hinted"];
	sendWebhooksTo(url: string | null): void;
	webhooks(): readonly BridgeDelivery[];
	/** Settles when all deposits that it saw are dealt with, and told. */
	idle(): Promise<void>;
	stop(): Promise<void>;
};

const POLL_MS = 250;
const SILENCE_MS = 120_000;
const SLOW_MS = 1_000;
const HUGE_BYTES = 8 * 1_048_576;

/** The bridge provider of the sandbox: its API, and a solver that really pays on each chain. */
export async function startBridgeEmulator(options: BridgeEmulatorOptions): Promise<BridgeEmulator> {
	const { apiKey = "sandbox-bridge-key", clock = systemClock, pollMs = POLL_MS } = options;
	const faults = createBridgeFaults();
	const postbox = createBridgePostbox({ key: apiKey, clock, faults });
	const chains = await Promise.all(options.chains.map(openBridgeChain));
	const world: BridgeWorld = {
		...{ chains, clock, entries: [] },
		move(entry, status) {
			entry.status = status;
			entry.updatedAtMs = Math.max(clock.nowMs(), entry.updatedAtMs + 1);
			postbox.tell(entry);
		},
	};
	const solver = createSolver(world, faults);
	const stopping = new AbortController();
	let looking = Promise.resolve();
	const look = () => {
		looking = looking.then(() => solver.turn()).catch(() => {});
		return looking;
	};
	const office: BridgeOffice = {
		...{ world, faults, apiKey, spoilQuote: null, hinted: [], look },
		begin: solver.begin,
	};
	const calls: { call: string; key: string | null }[] = [];
	const handle = async (request: Request): Promise<Response> => {
		const url = new URL(request.url);
		if (url.pathname === "/_sandbox/faults") return await orderFault(faults, request);
		if (url.pathname === "/_sandbox/ledger") return Response.json(world.entries.map(rendered));
		const key = request.headers.get("x-api-key");
		const call = `${request.method} ${url.pathname}${url.search}`;
		calls.push({ call, key });
		if (key !== null && !isKeyed(office, request)) return refusal(401, "UNAUTHORIZED", "not a key");
		const fault = faults.ofCall(call);
		const answer = () => answerBridge(office, request);
		return fault ? await spoilt(fault, { answer, signal: stopping.signal }) : await answer();
	};
	const server = Bun.serve({
		...{ hostname: "127.0.0.1", port: options.port ?? 0, idleTimeout: 0, fetch: handle },
	});
	const watching = (async () => {
		while (!stopping.signal.aborted) {
			await look();
			await sleep(pollMs, stopping.signal);
		}
	})();
	return {
		...{ url: `http://127.0.0.1:${server.port}`, apiKey, chains, hinted: office.hinted },
		ledger: () => world.entries,
		fault: faults.add,
		clearFaults: faults.clear,
		release: solver.release,
		spoilQuotes(spoil) {
			office.spoilQuote = spoil;
		},
		publish(chainId, change) {
			const chain = chains.find(({ id }) => id === chainId);
			if (chain) Object.assign(chain, change);
		},
		calls: () => calls,
		sendWebhooksTo: postbox.sendTo,
		webhooks: () => postbox.deliveries,
		async idle() {
			await look();
			await solver.idle();
			await postbox.idle();
		},
		async stop() {
			stopping.abort();
			solver.release();
			await watching;
			await server.stop(true);
		},
	};
}

async function orderFault(
	faults: ReturnType<typeof createBridgeFaults>,
	request: Request,
): Promise<Response> {
	if (request.method === "DELETE") faults.clear();
	if (request.method === "POST") {
		const { data, error } = BridgeFault.safeParse(await request.json().catch(() => null));
		if (!data) return Response.json({ message: error.message }, { status: 422 });
		faults.add(data);
	}
	return Response.json({ faults: faults.all() });
}

function rendered(entry: BridgeEntry) {
	const { origin, destination, ...rest } = entry;
	const place = ({ chain, currency }: BridgeEntry["origin"]) => ({
		...{ chainId: chain.id, currency: currency.address },
	});
	const all = { ...rest, origin: place(origin), destination: place(destination) };
	return JSON.parse(
		JSON.stringify(all, (_, value) => (typeof value === "bigint" ? String(value) : value)),
	);
}

async function spoilt(
	fault: z.output<typeof BridgeFault>,
	{ answer, signal }: { answer(): Promise<Response>; signal: AbortSignal },
): Promise<Response> {
	switch (fault.kind) {
		case "status":
			return refusal(fault.status ?? 500, fault.code ?? "UNKNOWN_ERROR", "something went wrong");
		case "silence":
			await sleep(SILENCE_MS, signal);
			return new Response(null, { status: 504 });
		case "slow":
			await sleep(fault.delayMs ?? SLOW_MS, signal);
			return await answer();
		case "html":
			return new Response("<!doctype html><h1>One moment</h1>", {
				...{ status: fault.status ?? 200, headers: { "content-type": "text/html" } },
			});
		case "truncated": {
			const text = await (await answer()).text();
			return new Response(text.slice(0, Math.floor(text.length / 2)));
		}
		default:
			return new Response(" ".repeat(HUGE_BYTES));
	}
}
