// Starts a provider that was written from its published document alone.

import {
	type FoundOperation,
	findOperation,
	readDocument,
	requestProblems,
} from "#test/conformance/provider/document/requestProblems.ts";
import {
	type Answer,
	type Asked,
	type Call,
	createAllowance,
	createCursors,
	Refusal,
	type Trouble,
} from "#test/conformance/provider/emulator/Asked.ts";
import {
	collectionStats,
	collectionsBatch,
	listChains,
	listCollections,
	oneCollection,
	onePaymentToken,
	topCollections,
	trendingCollections,
} from "#test/conformance/provider/emulator/answers/collections.ts";
import {
	listDrops,
	oneDrop,
	searchAll,
} from "#test/conformance/provider/emulator/answers/drops.ts";
import {
	allListings,
	allOffers,
	bestListingOfToken,
	bestListings,
	collectionOffers,
	oneOrder,
} from "#test/conformance/provider/emulator/answers/orders.ts";
import {
	collectionEvents,
	collectionHolders,
	collectionTraits,
	nftsBatch,
	nftsOfCollection,
	nftsOfContract,
	oneContract,
	oneNft,
	traitFloors,
} from "#test/conformance/provider/emulator/answers/tokens.ts";
import { createStream, type StreamClient } from "#test/conformance/provider/emulator/stream.ts";
import type { World } from "#test/conformance/provider/world/World.ts";

export type Answering = { found: FoundOperation | null; asked: Asked; call: Call };

export type ProviderOptions = {
	world: World;
	nowMs: () => number;
	/** Calls a minute for the key; the documents of OpenSea tell none for a full key. */
	perMinute?: number;
	/** How long a cursor leads on. */
	cursorLifeMs?: number;
	/** Told of each call before it is answered. */
	onCall?: () => void;
};

export type Provider = ReturnType<typeof startProvider>;

const NFT = "/api/v2/chain/{chain}/contract/{address}";
const ORDER = "/api/v2/orders/chain/{chain}/protocol/{protocol_address}/{order_hash}";

/** Which operation of the document is answered by what. */
export const answers: Readonly<Record<string, Answer>> = {
	"GET /api/v2/chains": listChains,
	"GET /api/v2/collections": listCollections,
	"GET /api/v2/collections/trending": trendingCollections,
	"GET /api/v2/collections/top": topCollections,
	"GET /api/v2/collections/{slug}": oneCollection,
	"GET /api/v2/collections/{slug}/stats": collectionStats,
	"GET /api/v2/collections/{slug}/holders": collectionHolders,
	"POST /api/v2/collections/batch": collectionsBatch,
	"GET /api/v2/collection/{slug}/nfts": nftsOfCollection,
	"GET /api/v2/traits/{slug}": collectionTraits,
	"GET /api/v2/traits/{slug}/floors": traitFloors,
	"GET /api/v2/events/collection/{slug}": collectionEvents,
	"GET /api/v2/listings/collection/{slug}/all": allListings,
	"GET /api/v2/listings/collection/{slug}/best": bestListings,
	"GET /api/v2/listings/collection/{slug}/nfts/{identifier}/best": bestListingOfToken,
	"GET /api/v2/offers/collection/{slug}/all": allOffers,
	"GET /api/v2/offers/collection/{slug}": collectionOffers,
	[`GET ${ORDER}`]: oneOrder,
	[`GET ${NFT}`]: oneContract,
	[`GET ${NFT}/nfts`]: nftsOfContract,
	[`GET ${NFT}/nfts/{identifier}`]: oneNft,
	"POST /api/v2/nfts/batch": nftsBatch,
	"GET /api/v2/chain/{chain}/payment_token/{address}": onePaymentToken,
	"GET /api/v2/drops": listDrops,
	"GET /api/v2/drops/{slug}": oneDrop,
	"GET /api/v2/search": searchAll,
};

const CURSOR_NAMES = ["next", "cursor"];
const HALF = 2;

const PER_MINUTE = 120;
const CURSOR_LIFE_MS = 30 * 60_000;

/**
 * Starts a marketplace provider that was written from its published document alone: HTTP and the
 * stream on one port, over a world in memory. It keeps every call that it gets.
 *
 * @example
 * const provider = startProvider({ world: makeWorld({ seed: 1, nowMs }), nowMs: () => nowMs });
 * provider.trouble({ kind: "slow", ms: 9_000, on: /stats/ });
 */
export function startProvider(options: ProviderOptions) {
	const { world, nowMs, perMinute = PER_MINUTE, cursorLifeMs = CURSOR_LIFE_MS } = options;
	const document = readDocument();
	const cursors = createCursors({ nowMs, lifeMs: cursorLifeMs });
	const allowance = createAllowance(perMinute, nowMs);
	const stream = createStream(nowMs);
	const calls: Call[] = [];
	const troubles: Trouble[] = [];

	async function answer(request: Request): Promise<Response> {
		const { pathname, search, searchParams } = new URL(request.url);
		const found = findOperation(document, { method: request.method, pathname });
		const call: Call = {
			atMs: nowMs(),
			method: request.method,
			target: `${pathname}${search}`,
			operation: found?.name ?? null,
			path: found?.path ?? {},
			query: searchParams,
			key: request.headers.get("x-api-key"),
			status: 0,
			shown: [],
			answer: null,
			problems: found
				? requestProblems(document, found, searchParams)
				: [`the document has no ${request.method} ${pathname}`],
		};
		calls.push(call);
		options.onCall?.();
		const response = await respond(request, { call, found, asked: pathname });
		call.status = response.status;
		return response;
	}

	async function respond(
		request: Request,
		{
			call,
			found,
			asked: pathname,
		}: Pick<Parameters<typeof answerCall>[0], "call" | "found"> & {
			asked: string;
		},
	): Promise<Response> {
		if (call.key === "") return refusal(401, { errors: ["Invalid API key"] }, {});
		const { isAllowed, headers, resetS } = allowance.take();
		if (!isAllowed) {
			const wait = String(Math.max(1, resetS - Math.floor(nowMs() / 1_000)));
			const told = { ...headers, "retry-after": wait };
			return refusal(429, { detail: "Request was throttled." }, told);
		}
		const body = request.method === "POST" ? await request.json().catch(() => null) : null;
		const { path, query } = call;
		const asked = {
			world,
			nowMs: nowMs(),
			pathname,
			path,
			query,
			body,
			cursors,
			shown: call.shown,
		};
		const response = await answerCall({ found, asked, call }, troublesOf(call));
		for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
		return response;
	}

	/** The troubles that this call meets; those that are for some calls only are counted down. */
	function troublesOf({ target }: Call): Trouble[] {
		const met = troubles.filter(({ on }) => on === undefined || on.test(target));
		for (const trouble of met) {
			if (trouble.times === undefined) continue;
			trouble.times--;
			if (trouble.times === 0) troubles.splice(troubles.indexOf(trouble), 1);
		}
		return met;
	}

	const server = Bun.serve<StreamClient>({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 60,
		websocket: stream.websocket,
		fetch(request, serving) {
			const { pathname, searchParams } = new URL(request.url);
			if (!pathname.startsWith("/socket")) return answer(request);
			const token = searchParams.get("token");
			const data = { token, topics: new Map<string, string>() };
			if (serving.upgrade(request, { data })) return;
			return new Response("a socket was expected", { status: 426 });
		},
	});

	return {
		url: `http://127.0.0.1:${server.port}`,
		streamUrl: `ws://127.0.0.1:${server.port}/socket/websocket`,
		world,
		document,
		calls,
		cursors,
		allowance,
		stream,
		/** Misbehaves from now on; answers how to stop it. */
		trouble(trouble: Trouble): () => void {
			const mine = { ...trouble };
			troubles.push(mine);
			return () => {
				const at = troubles.indexOf(mine);
				if (at !== -1) troubles.splice(at, 1);
			};
		},
		calm: () => void troubles.splice(0),
		stop: () => server.stop(true),
	};
}

/** Makes the answer to one call, right or as the troubles have it. */
export async function answerCall(
	{ found, asked, call }: Answering,
	troubles: readonly Trouble[],
): Promise<Response> {
	for (const trouble of troubles) {
		if (trouble.kind === "slow") await Bun.sleep(trouble.ms);
		if (trouble.kind === "refuses") {
			const type = trouble.type ?? "application/json";
			return new Response(trouble.body, {
				status: trouble.status,
				headers: { "content-type": type, ...trouble.headers },
			});
		}
		if (trouble.kind === "text") {
			return new Response(trouble.text, {
				headers: { "content-type": trouble.type ?? "application/json" },
			});
		}
	}
	try {
		const answer = found && answers[found.name];
		if (!answer) throw new Refusal(404, "Not found");
		const body = withTroubles(answer, { asked, call }, troubles);
		if (!troubles.some(({ kind }) => kind === "cut_off")) call.answer = body;
		return send(body, troubles);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return Response.json(error.body(), { status: error.status });
	}
}

function refusal(status: number, body: unknown, headers: Record<string, string>): Response {
	return Response.json(body, { status, headers });
}

function withTroubles(
	answer: (asked: Asked) => unknown,
	{ asked, call }: { asked: Asked; call: Call },
	troubles: readonly Trouble[],
): unknown {
	let body: any = null;
	const late = troubles.find((trouble) => trouble.kind === "late");
	const then = late ? { ...asked, nowMs: asked.nowMs - late.ms } : asked;
	body = answer(then);
	for (const trouble of troubles) {
		if (trouble.kind === "omits_pages" && body.next && cursorOf(asked)) {
			body = answer({ ...then, query: withCursor(asked, body.next) });
		}
		if (trouble.kind === "repeats_pages" && body.next) {
			const again = cursorOf(asked);
			if (again) body = { ...body, next: again };
		}
		if (trouble.kind === "huge") body = { ...body, padding: "x".repeat(trouble.bytes) };
		if (trouble.kind === "changes") body = trouble.change(structuredClone(body), call);
	}
	return body;
}

function cursorOf({ query }: Asked): string | null {
	return query.get("next") ?? query.get("cursor");
}

function withCursor({ query }: Asked, cursor: string): URLSearchParams {
	const changed = new URLSearchParams(query);
	for (const name of CURSOR_NAMES) if (changed.has(name)) changed.set(name, cursor);
	return changed;
}

function send(body: unknown, troubles: readonly Trouble[]): Response {
	const text = JSON.stringify(body);
	const other = troubles.find((trouble) => trouble.kind === "content_type");
	const headers = { "content-type": other?.type ?? "application/json" };
	if (!troubles.some(({ kind }) => kind === "cut_off")) return new Response(text, { headers });
	const half = text.slice(0, Math.floor(text.length / HALF));
	return new Response(half, { headers });
}
