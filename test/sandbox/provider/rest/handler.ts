// Handles requests to the provider: key, limits, faults, then the route.

import { type Hex, isHex } from "viem";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { type CallLog, spoil } from "../../emulatorFaults.ts";
import {
	bucketOf,
	createRateLimit,
	Fault,
	type FaultList,
	RACE_KINDS,
	type RaceKind,
	type RateLimits,
} from "../faults.ts";
import type { StreamData } from "../streamHub.ts";
import { collectionRoutes, traitRoutes } from "./collectionRoutes.ts";
import { eventRoutes } from "./eventRoutes.ts";
import { nftRoutes } from "./nftRoutes.ts";
import { type Office, Refusal, type Route } from "./Office.ts";
import { fulfilmentRoutes, orderRoutes } from "./orderRoutes.ts";
import { authRoutes, dropRoutes, searchRoutes } from "./searchRoutes.ts";

export type Gate = {
	office: Office;
	faults: FaultList;
	calls: CallLog;
	clock: Clock;
	rateLimits: RateLimits | null;
	apiKey: string | null;
	/** Settles when the history of the chain is read. */
	caughtUp(): Promise<void>;
	dropStream(): void;
	/** Makes the buyer of this order too late. */
	race(kind: RaceKind, orderHash: Hex): Promise<void>;
	stopped: AbortSignal;
};

type Handler = (
	request: Request,
	upgrade: (data: StreamData) => boolean,
) => Promise<Response | undefined>;

const PREFIX = "/api/v2";
const BODY_BYTES_MAX = 100_000;

const routes: readonly Route[] = [
	...authRoutes,
	...collectionRoutes,
	...dropRoutes,
	...eventRoutes,
	...fulfilmentRoutes,
	...nftRoutes,
	...orderRoutes,
	...searchRoutes,
	...traitRoutes,
];
const table = routes.map((route) => ({ route, segments: route.path.split("/") }));

const hash = z.custom<Hex>((value) => isHex(value));
const Filled = z.object({ listing: z.object({ hash }) });

/** Makes the handler in front of the routes: the key, the limits, and faults. */
export function createHandler(gate: Gate): Handler {
	const limit = gate.rateLimits && createRateLimit(gate.rateLimits, gate.clock);
	return async (request, upgrade) => {
		const url = new URL(request.url);
		if (url.pathname.startsWith("/_sandbox/")) return await control(gate, request, url);
		if (url.pathname === "/socket/websocket") {
			if (gate.apiKey !== null && url.searchParams.get("token") !== gate.apiKey) {
				return refused(403, "Invalid or missing API key");
			}
			const vsn = url.searchParams.get("vsn") === "2.0.0" ? "2.0.0" : "1.0.0";
			if (upgrade({ vsn, topics: new Map() })) return undefined;
			return refused(400, "Not a WebSocket");
		}
		gate.calls.note(request.method, url);
		const isKeyless = url.pathname === "/api/v2/auth/keys";
		if (!isKeyless && !hasKey(gate, request)) return refused(401, "Invalid or missing API key");
		const verdict = limit?.take(bucketOf(request.method, url.pathname));
		const headers = verdict?.headers ?? {};
		if (verdict && !verdict.isAllowed) {
			return Response.json({ detail: "Request was throttled." }, { status: 429, headers });
		}
		const answer = async () => {
			await gate.caughtUp();
			return await answerRequest(gate.office, request);
		};
		const fault = gate.faults.takeForPath(url.pathname + url.search);
		const signal = AbortSignal.any([request.signal, gate.stopped]);
		const raced = fault && RACE_KINDS.find((kind) => kind === fault.kind);
		const response = raced
			? await answerLate(gate, { request, kind: raced, answer })
			: fault
				? await spoil(fault, signal, answer)
				: await answer();
		for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
		return response;
	};
}

/** Answers one request of the REST API; errors have the provider's form. */
export async function answerRequest(office: Office, request: Request): Promise<Response> {
	const url = new URL(request.url);
	const found = url.pathname.startsWith(`${PREFIX}/`)
		? find(request.method, url.pathname.slice(PREFIX.length))
		: null;
	if (!found) return refused(404, "Not found");
	const body = request.method === "POST" ? await readBody(request) : null;
	const { route, params } = found;
	try {
		const answer = await route.answer({ office, params, query: url.searchParams, body });
		return Response.json(answer, { status: route.path === "/auth/keys" ? 201 : 200 });
	} catch (cause) {
		if (cause instanceof Refusal) return refused(cause.status, cause.message);
		return refused(500, cause instanceof Error ? cause.message : "Internal error");
	}
}

export function refused(status: number, text: string): Response {
	return Response.json({ errors: [text] }, { status });
}

async function control(gate: Gate, request: Request, url: URL): Promise<Response> {
	switch (`${request.method} ${url.pathname}`) {
		case "POST /_sandbox/faults": {
			const fault = Fault.safeParse(await request.json().catch(() => null));
			if (!fault.success) return refused(400, fault.error.message);
			gate.faults.add(fault.data);
			if (fault.data.kind === "drop_stream") gate.dropStream();
			return Response.json({ faults: gate.faults.all() });
		}
		case "GET /_sandbox/faults":
			return Response.json({ faults: gate.faults.all() });
		case "DELETE /_sandbox/faults":
			gate.faults.clear();
			return Response.json({ faults: [] });
		case "GET /_sandbox/calls":
			return Response.json(gate.calls.read());
		case "DELETE /_sandbox/calls":
			gate.calls.clear();
			return Response.json(gate.calls.read());
		default:
			return refused(404, "Not found");
	}
}

/**
 * Returns whether the key is right. Without a key of our own every caller may ask, but an empty
 * header is wrong.
 */
function hasKey({ apiKey }: Gate, request: Request): boolean {
	const sent = request.headers.get("x-api-key");
	if (apiKey === null) return sent === null || sent !== "";
	return sent === apiKey;
}

/**
 * Answers as usual, but makes the answer outdated; an order that left the book is reported as gone.
 */
async function answerLate(
	gate: Gate,
	given: { request: Request; kind: RaceKind; answer(): Promise<Response> },
): Promise<Response> {
	const asked = Filled.safeParse(
		await given.request
			.clone()
			.json()
			.catch(() => null),
	).data;
	const race = async () => {
		if (asked) await gate.race(given.kind, asked.listing.hash);
	};
	if (given.kind === "seller_withdraws") await race();
	const response = await given.answer();
	if (given.kind !== "seller_withdraws") await race();
	return response;
}

function find(method: string, path: string): { route: Route; params: string[] } | null {
	const asked = path.split("/");
	for (const { route, segments } of table) {
		if (route.method !== method || segments.length !== asked.length) continue;
		const params: string[] = [];
		const fits = segments.every((segment, n) => {
			if (!segment.startsWith(":")) return segment === asked[n];
			params.push(decodeURIComponent(asked[n] ?? ""));
			return true;
		});
		if (fits) return { route, params };
	}
	return null;
}

async function readBody(request: Request): Promise<unknown> {
	const text = await request.text();
	if (text.length > BODY_BYTES_MAX) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
