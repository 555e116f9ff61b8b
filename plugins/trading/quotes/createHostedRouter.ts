// Asks the Uniswap Trading API for quotes.

import type { Budget } from "#core/budget/Budget.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { callOut } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import {
	ROUTER_BODY_BYTES_MAX,
	ROUTER_PAUSE_MS,
	ROUTER_TIMEOUT_MS,
} from "#plugins/trading/limits.ts";
import {
	type HostedAsk,
	hostedAnswer,
	readHosted,
	slippagePercent,
} from "#plugins/trading/quotes/hostedAnswer.ts";
import type { QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";

type HostedRouterDeps = {
	/** The URL without a slash at its end. */
	baseUrl: string;
	apiKey: string;
	/** The most calls per second of all processes together. */
	callsPerSecond: number;
	slippageBps: number;
	budget: Pick<Budget, "take" | "pause">;
	pools(): readonly Pool[];
	/** Uniswap's factory of V3 pools. */
	factory: Address;
	fetch?: typeof fetch | undefined;
};

const BUDGET = "trading.router";
/**
 * The newest version, whose swaps set a least price for each pool; older calldata reverts on 4663.
 */
const ROUTER_VERSION = "2.1.1";

/**
 * Makes the source that asks the Uniswap Trading API for a quote. Only its amounts are trusted: no
 * permit and no calldata is requested, and its route is encoded here where possible.
 */
export function createHostedRouter(deps: HostedRouterDeps): QuoteSource {
	const { budget, callsPerSecond, slippageBps } = deps;
	return {
		name: "hosted",
		async ask(ask, signal) {
			const terms = { amount: 1, perWindow: callsPerSecond, windowMs: 1_000 };
			const { granted } = await budget.take(BUDGET, terms);
			if (!granted) throw tradeFault.routerBusy();
			const asked = { ...ask, slippageBps };
			const json = await post(deps, { body: bodyOf(asked), signal });
			const read = hostedAnswer.safeParse(json);
			if (!read.success) {
				const [issue] = read.error.issues;
				throw tradeFault.routerUnreadable({ detail: `${issue?.path.join(".")}: ${issue?.code}` });
			}
			const { factory } = deps;
			const route = readHosted(read.data, { ask: asked, pools: deps.pools(), factory });
			if (typeof route === "string") {
				throw tradeFault.routerUnreadable({ detail: `contradicts what was asked: ${route}` });
			}
			return route;
		},
	};
}

function bodyOf(ask: HostedAsk): Record<string, unknown> {
	return {
		type: ask.exact === "in" ? "EXACT_INPUT" : "EXACT_OUTPUT",
		amount: String(ask.amountRaw),
		tokenInChainId: ask.chainId,
		tokenOutChainId: ask.chainId,
		tokenIn: ask.isNativeIn ? ZERO_ADDRESS : ask.tokenIn,
		tokenOut: ask.isNativeOut ? ZERO_ADDRESS : ask.tokenOut,
		swapper: ask.taker,
		slippageTolerance: slippagePercent(ask),
		routingPreference: "BEST_PRICE",
		// No off-chain orders: with these a signature alone would spend money.
		protocols: ["V2", "V3", "V4"],
	};
}

async function post(
	deps: HostedRouterDeps,
	{ body, signal }: { body: Record<string, unknown>; signal: AbortSignal },
): Promise<unknown> {
	const { baseUrl, apiKey, budget } = deps;
	const answer = await callOut(
		{
			url: `${baseUrl}/quote`,
			headers: {
				"content-type": "application/json",
				"x-universal-router-version": ROUTER_VERSION,
				// No permit to sign: the allowance is exact, and our own.
				"x-permit2-disabled": "true",
				...(apiKey === "" ? {} : { "x-api-key": apiKey }),
			},
			body: JSON.stringify(body),
		},
		{
			...{ timeoutMs: ROUTER_TIMEOUT_MS, bytesMax: ROUTER_BODY_BYTES_MAX, refusalBytesMax: 0 },
			...{ signals: [signal], fetch: deps.fetch },
		},
	);
	if (answer.kind === "silent") throw tradeFault.routerUnavailable({ detail: answer.detail });
	const { status } = answer;
	if (status === 429) {
		await budget.pause(BUDGET, pauseMs(answer.headers));
		throw tradeFault.routerBusy({ detail: "429" });
	}
	if (status >= 300) {
		const detail = `HTTP ${status}`;
		// Only 404 says that it has no route: another refusal, of our key too, says nothing of routes.
		throw status === 404
			? tradeFault.routerRefused({ detail })
			: tradeFault.routerUnavailable({ detail });
	}
	if (answer.kind === "unreadable") {
		throw tradeFault.routerUnreadable({ detail: answer.detail });
	}
	const json = readJson(answer.text);
	if (json === undefined) throw tradeFault.routerUnreadable({ detail: "no JSON" });
	return json;
}

function pauseMs(headers: Headers): number {
	const text = headers.get("retry-after")?.trim() ?? "";
	return /^\d{1,3}$/.test(text) ? Number(text) * 1_000 : ROUTER_PAUSE_MS;
}
