// Starts a proxy that puts hostile texts into a provider's answers.

import type { ServerWebSocket } from "bun";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";

export type PoisonedProvider = {
	/** The values of `PROVIDER_BASE_URL` and `PROVIDER_STREAM_URL`. */
	url: string;
	streamUrl: string;
	/** Every hostile URL in answers and pushes so far. */
	told: ReadonlySet<string>;
	stop(): Promise<void>;
};

type Upstream = { url: string; streamUrl: string };
type Pipe = { target: string; upstream: WebSocket | null; waiting: string[] };

const BIDI = "\u202egnp.\u2066";
/** What a good provider would send there; it may appear beside hostile values. */
export const HARMLESS_IMAGE = "https://images.test/cat.png";
export const HARMLESS_TRAIT = { trait_type: "Fur", value: "Gold" };

/**
 * Starts a proxy in front of a provider that puts text of strangers into each of its answers and
 * pushes: URLs that no page may get, names and descriptions that run backwards, traits that are
 * objects or have 10,000 characters, and a search hit that is nowhere else.
 */
export function startPoisonedProvider(upstream: Upstream): PoisonedProvider {
	const told = new Set<string>();
	let next = 0;
	const hostileUrl = (): string => {
		const url = hostileUrls[next++ % hostileUrls.length] ?? "";
		told.add(url);
		return url;
	};
	const server = Bun.serve<Pipe>({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request, self) {
			const { pathname, search } = new URL(request.url);
			if (request.headers.get("upgrade") === "websocket") {
				const target = `${upstream.streamUrl}${search}`;
				const data: Pipe = { target, upstream: null, waiting: [] };
				return self.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
			}
			const answer = await fetch(`${upstream.url}${pathname}${search}`, {
				method: request.method,
				headers: request.headers,
				body: request.method === "GET" ? null : await request.text(),
			});
			const text = await answer.text();
			const { status } = answer;
			if (status !== 200) return new Response(text, { status });
			return Response.json(withStranger(poison(JSON.parse(text), hostileUrl), hostileUrl));
		},
		websocket: {
			open: (socket) => join(socket, hostileUrl),
			message(socket, text) {
				const { upstream: behind, waiting } = socket.data;
				if (behind?.readyState === WebSocket.OPEN) behind.send(String(text));
				else waiting.push(String(text));
			},
			close: (socket) => socket.data.upstream?.close(),
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		streamUrl: `ws://127.0.0.1:${server.port}/socket/websocket`,
		told,
		stop: () => server.stop(true),
	};
}

function join(socket: ServerWebSocket<Pipe>, hostileUrl: () => string): void {
	const behind = new WebSocket(socket.data.target);
	socket.data.upstream = behind;
	behind.onopen = () => {
		for (const text of socket.data.waiting.splice(0)) behind.send(text);
	};
	behind.onmessage = ({ data }) => {
		socket.send(JSON.stringify(poison(JSON.parse(String(data)), hostileUrl)));
	};
	behind.onclose = () => socket.close();
	behind.onerror = () => socket.close();
}

/** Without these members a row could not be assigned, and would be left out completely. */
const KEPT = new Set(["opensea_url", "nft_id", "chain"]);
/** Members of rows that have a picture. */
const NAMED = ["identifier", "collection_name", "image_url", "metadata_url"];

function poison(value: unknown, hostileUrl: () => string): unknown {
	if (Array.isArray(value)) return value.map((one) => poison(one, hostileUrl));
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value).map(([name, inner]): [string, unknown] => {
		if (KEPT.has(name)) return [name, inner];
		if (/(^name|_name|label|description)$/.test(name) && typeof inner === "string") {
			return [name, `${inner}${BIDI}`];
		}
		if (name === "traits" && Array.isArray(inner)) return [name, [...oddTraits(), ...inner]];
		if (/(_url|permalink)$/.test(name)) return [name, hostileUrl()];
		return [name, poison(inner, hostileUrl)];
	});
	const row = Object.fromEntries(members);
	if (!NAMED.some((name) => name in row)) return row;
	return {
		...row,
		description: `pay${BIDI}me`,
		image_url: hostileUrl(),
		display_image_url: HARMLESS_IMAGE,
		animation_url: hostileUrl(),
		banner_image_url: "https://me:secret@images.test/banner.png",
		project_url: hostileUrl(),
		traits: [...oddTraits(), HARMLESS_TRAIT],
	};
}

function oddTraits(): unknown[] {
	const long = "x".repeat(10_000);
	return [
		{ trait_type: "Object", value: { html: "<b>" } },
		{ trait_type: "List", value: ["a", "b"] },
		{ trait_type: long, value: long },
		{ trait_type: `Bidi${BIDI}`, value: `${BIDI}value`, extra: { deep: [long] } },
	];
}

function withStranger(answer: unknown, hostileUrl: () => string): unknown {
	if (typeof answer !== "object" || answer === null || !("results" in answer)) return answer;
	const { results } = answer;
	if (!Array.isArray(results)) return answer;
	const collection = {
		collection: "kiln-of-a-stranger",
		name: `Kiln of a stranger${BIDI}`,
		image_url: hostileUrl(),
		is_disabled: false,
		is_nsfw: false,
		opensea_url: hostileUrl(),
	};
	return { ...answer, results: [...results, { type: "collection", collection }] };
}
