// Starts the hosted router (Uniswap's Trading API).

import { type Hex, isHex, zeroAddress } from "viem";
import { z } from "zod";
import { type Clock, systemClock } from "#core/clock.ts";
import { createRpc } from "../../createRpc.ts";
import { type Calls, createFaultDesk } from "../../emulatorFaults.ts";
import { createRateLimit } from "../../provider/faults.ts";
import { decoyPools, describeStockWorld, type Pool } from "../describeStockWorld.ts";
import { answerApproval, answerSwap } from "./answerSwap.ts";
import { LIES, RouterFault } from "./RouterFault.ts";
import {
	quoteWays,
	readStates,
	renderQuote,
	throughDecoy,
	type Way,
	type WayAsk,
	wrapped,
} from "./renderQuote.ts";
import { type QuoteRequest, quoteAnswer, quoteRequest } from "./routerWire.ts";

export type RouterEmulatorOptions = {
	rpcUrl: string;
	port?: number | undefined;
	/** Required in `x-api-key`; without it no key is needed. */
	apiKey?: string | undefined;
	/** Requests per window; without it unlimited. */
	rateLimit?: { limit: number; windowMs: number } | undefined;
	/** Default: the world's own pools. */
	pools?: readonly Pool[];
	clock?: Clock;
};

export type RouterEmulator = {
	/** ROUTER_BASE_URL */
	url: string;
	fault(order: z.input<typeof RouterFault>): void;
	clearFaults(): void;
	calls(): Calls;
	stop(): Promise<void>;
};

const CHAIN_ID = 4663;
const VERSION = "2.1.1";
const Quantity = z.custom<Hex>((value) => isHex(value));

/**
 * Starts the hosted router (Uniswap's Trading API) over V3 pools; it quotes with the chain's
 * QuoterV2.
 */
export function startRouterEmulator(options: RouterEmulatorOptions): RouterEmulator {
	const { rpcUrl, clock = systemClock, pools = describeStockWorld().pools } = options;
	const rpc = createRpc(rpcUrl);
	const desk = createFaultDesk(RouterFault);
	const quotedAtMs = new Map<string, number>();
	const { rateLimit: bucket } = options;
	const limit =
		bucket && createRateLimit({ read: bucket, write: bucket, fulfillment: bucket }, clock);
	const decoys = decoyPools().filter(({ key }) => key.hooks !== zeroAddress);
	let count = 0;

	async function answerQuote(request: Request): Promise<Response> {
		const read = quoteRequest.safeParse(await request.json().catch(() => null));
		if (!read.success) return refused("RequestValidationError", read.error.message);
		const asked = read.data;
		const replaced = desk.take("/quote", "answer").at(-1);
		if (replaced) return Response.json(replaced.body);
		const ask = askOf(asked);
		const isHere = asked.tokenInChainId === CHAIN_ID && asked.tokenOutChainId === CHAIN_ID;
		const hasNone = desk.take("/quote", "no_route").length > 0;
		if (!isHere || hasNone || ask.tokenIn === ask.tokenOut) return noQuote();
		const block = Quantity.parse(await rpc.call("eth_blockNumber"));
		const ways = priced(await findWays(ask, block), ask.exact);
		if (ways.length === 0) return noQuote();
		const states = await readStates(rpcUrl, { ways, block });
		const nowS = Math.floor(clock.nowMs() / 1_000);
		count += 1;
		const hasPermit = request.headers.get("x-permit2-disabled") !== "true";
		const draft = { asked, ways, states, count, block: BigInt(block), nowS, hasPermit };
		const drawn = renderQuote(draft);
		const goesAstray = desk.take("/quote", "decoy").length > 0;
		const answer = quoteAnswer.parse(goesAstray ? throughDecoy(drawn, decoys) : drawn);
		quotedAtMs.set(answer.quote.quoteId, clock.nowMs());
		return Response.json(lied("/quote", answer));
	}

	async function findWays(ask: WayAsk, block: Hex): Promise<Way[]> {
		const isSplit = desk.take("/quote", "split").length > 0;
		const [best] = await quoteWays(rpcUrl, { ask, pools, block });
		if (!best) return [];
		if (!isSplit) return [best];
		const half = ask.amount / 2n;
		const rest = pools.filter((pool) => !best.pools.includes(pool));
		const [[one], [other]] = await Promise.all([
			quoteWays(rpcUrl, { ask: { ...ask, amount: ask.amount - half }, pools: best.pools, block }),
			quoteWays(rpcUrl, { ask: { ...ask, amount: half }, pools: rest, block }),
		]);
		return one && other ? [one, other] : [best];
	}

	function priced(ways: readonly Way[], exact: WayAsk["exact"]): Way[] {
		const bps = desk.take("/quote", "price").reduce((sum, one) => sum + one.bps, 0);
		const by = (amount: bigint, change: number) => (amount * BigInt(10_000 + change)) / 10_000n;
		return ways.map((way) =>
			exact === "in"
				? { ...way, amountOut: by(way.amountOut, bps) }
				: { ...way, amountIn: by(way.amountIn, -bps) },
		);
	}

	function lied<Answer>(path: string, answer: Answer): Answer {
		const copy = structuredClone(answer);
		for (const { about, value } of desk.take(path, "lie")) {
			const { at, says } = LIES[about];
			if (at[0] === path) setAt(copy, { steps: at[1].split("."), value: value ?? says });
		}
		return copy;
	}

	async function answer(request: Request, { pathname }: URL): Promise<Response> {
		const verdict = limit?.take("read");
		if (verdict && !verdict.isAllowed) {
			const body = { errorCode: "RateLimited", detail: "Too many requests" };
			return Response.json(body, { status: 429, headers: verdict.headers });
		}
		const { apiKey } = options;
		const { headers } = request;
		if (apiKey && headers.get("x-api-key") !== apiKey) {
			return refused("UnauthorizedError", "Invalid API key", 401);
		}
		if (headers.get("x-universal-router-version") !== VERSION) {
			return refused("RequestValidationError", `No router of that version on ${CHAIN_ID}`);
		}
		switch (`${request.method} ${pathname}`) {
			case "POST /v1/quote":
				return await answerQuote(request);
			case "POST /v1/swap":
				return await answerSwap(request, { desk, quotedAtMs, nowMs: clock.nowMs(), lied });
			case "POST /v1/check_approval":
				return await answerApproval(request, rpc);
			default:
				return refused("ResourceNotFound", "Not found", 404);
		}
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch: (request) => desk.serve(request, (url) => answer(request, url)),
	});
	return {
		url: `http://127.0.0.1:${server.port}/v1`,
		fault: (order) => desk.add(RouterFault.parse(order)),
		clearFaults: desk.clear,
		calls: desk.calls,
		async stop() {
			desk.stop();
			await server.stop(true);
		},
	};
}

function refused(errorCode: string, detail: string, status = 400): Response {
	return Response.json({ errorCode, detail: detail.slice(0, 500) }, { status });
}

function askOf({ type, amount, tokenIn, tokenOut }: QuoteRequest): WayAsk {
	return {
		tokenIn: wrapped(tokenIn),
		tokenOut: wrapped(tokenOut),
		exact: type === "EXACT_INPUT" ? "in" : "out",
		amount: BigInt(amount),
	};
}

function noQuote(): Response {
	return refused("ResourceNotFound", "No quotes available", 404);
}

function setAt(target: unknown, { steps, value }: { steps: readonly string[]; value: unknown }) {
	const [step = "", ...rest] = steps;
	if (typeof target !== "object" || target === null) return;
	if (rest.length === 0) Object.assign(target, { [step]: value });
	else setAt(Reflect.get(target, step), { steps: rest, value });
}
