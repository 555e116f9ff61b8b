import { findOperation } from "#test/conformance/provider/document/findOperation.ts";
import { readDocument } from "#test/conformance/provider/document/readDocument.ts";
import { requestProblems } from "#test/conformance/provider/document/requestProblems.ts";
import { answerCall } from "#test/conformance/provider/emulator/answerCall.ts";
import type { Call } from "#test/conformance/provider/emulator/Call.ts";
import { createAllowance } from "#test/conformance/provider/emulator/createAllowance.ts";
import { createCursors } from "#test/conformance/provider/emulator/createCursors.ts";
import {
	createStream,
	type StreamClient,
} from "#test/conformance/provider/emulator/createStream.ts";
import type { Trouble } from "#test/conformance/provider/emulator/Trouble.ts";
import type { World } from "#test/conformance/provider/world/World.ts";

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

const PER_MINUTE = 120;
const CURSOR_LIFE_MS = 30 * 60_000;

export type Provider = ReturnType<typeof startProvider>;

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

function refusal(status: number, body: unknown, headers: Record<string, string>): Response {
	return Response.json(body, { status, headers });
}
