// Orders, counts and applies the faults that all emulators share.

import type { z } from "zod";
import type { Fault } from "./provider/faults.ts";

export type Calls = { total: number; byPath: Record<string, number>; recent: string[] };

export type CallLog = {
	note(method: string, url: URL): void;
	read(): Calls;
	clear(): void;
};

export type FaultDesk<One extends AnyFault> = {
	add(fault: One): void;
	clear(): void;
	/** Returns the faults of a kind for a path (`/quote`), and counts each as used. */
	take<Kind extends One["kind"]>(path: string, kind: Kind): Extract<One, { kind: Kind }>[];
	/** Returns whether a fault of this kind is ordered. */
	has(kind: One["kind"]): boolean;
	calls(): Calls;
	/** Logs the call, and answers it correctly or with the ordered fault. */
	serve(request: Request, answer: (url: URL) => Promise<Response>): Promise<Response>;
	stop(): void;
};

type AnyFault = { kind: string; path?: string | undefined; times?: number | undefined };

const PATHS_MAX = 5_000;
const RECENT_MAX = 200;

const SLOW_MS = 3_000;
const SILENCE_MS_MAX = 120_000;
const HUGE_BYTES = 200 * 1_048_576;
const CHUNK_BYTES = 65_536;

/** The faults of any HTTP server; each emulator has more of its own. */
export const TRANSPORT_KINDS = [
	...(["429", "500", "html", "silence", "slow", "huge", "wrong_types", "truncated"] as const),
] satisfies Fault["kind"][];

const FAULTS_MAX = 1_000;

/** Makes the list of ordered faults, filled by calls and at `/_sandbox/faults`. */
export function createFaultDesk<One extends AnyFault>(schema: z.ZodType<One>): FaultDesk<One> {
	const log = createCallLog();
	const stopping = new AbortController();
	let faults: { fault: One; left: number }[] = [];
	const all = () => {
		return faults.map(({ fault, left }) =>
			Number.isFinite(left) ? { ...fault, times: left } : fault,
		);
	};
	function add(fault: One): void {
		if (faults.length < FAULTS_MAX) {
			faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		}
	}
	function take(fits: (fault: One) => boolean): One[] {
		const taken = faults.filter(({ fault }) => fits(fault));
		for (const entry of taken) entry.left -= 1;
		faults = faults.filter(({ left }) => left > 0);
		return taken.map(({ fault }) => fault);
	}
	async function control(request: Request, path: string): Promise<Response> {
		switch (`${request.method} ${path}`) {
			case "POST /_sandbox/faults": {
				const order = schema.safeParse(await request.json().catch(() => null));
				if (!order.success) return Response.json({ detail: order.error.message }, { status: 400 });
				add(order.data);
				return Response.json({ faults: all() });
			}
			case "DELETE /_sandbox/faults":
				faults = [];
				return Response.json({ faults: [] });
			case "GET /_sandbox/faults":
				return Response.json({ faults: all() });
			case "GET /_sandbox/calls":
				return Response.json(log.read());
			case "DELETE /_sandbox/calls":
				log.clear();
				return Response.json(log.read());
			default:
				return Response.json({ detail: "Not found" }, { status: 404 });
		}
	}
	return {
		add: (fault) => add(schema.parse(fault)),
		clear: () => {
			faults = [];
		},
		take: (path, kind) => take((fault) => fault.kind === kind && meets(fault, path)) as never,
		has: (kind) => faults.some(({ fault }) => fault.kind === kind),
		calls: log.read,
		async serve(request, answer) {
			const url = new URL(request.url);
			if (url.pathname.startsWith("/_sandbox/")) return await control(request, url.pathname);
			log.note(request.method, url);
			const first = faults.find(({ fault }) => isTransport(fault) && meets(fault, url.pathname));
			const [fault] = take((one) => one === first?.fault);
			if (!fault || !isTransport(fault)) return await answer(url);
			const signal = AbortSignal.any([request.signal, stopping.signal]);
			return await spoil(fault, signal, () => answer(url));
		},
		stop: () => stopping.abort(),
	};
}

/** Makes a log of calls by path; it proves that a warm route made none. */
export function createCallLog(): CallLog {
	let total = 0;
	const byPath = new Map<string, number>();
	const recent: string[] = [];
	return {
		note(method, url) {
			total += 1;
			const key = `${method} ${url.pathname}`;
			if (byPath.has(key) || byPath.size < PATHS_MAX) byPath.set(key, (byPath.get(key) ?? 0) + 1);
			recent.push(`${method} ${url.pathname}${url.search}`);
			if (recent.length > RECENT_MAX) recent.shift();
		},
		read: () => ({ total, byPath: Object.fromEntries(byPath), recent: [...recent] }),
		clear() {
			total = 0;
			byPath.clear();
			recent.length = 0;
		},
	};
}

/** Answers a request with a fault; `answer` gives the correct answer. */
export async function spoil(
	fault: Fault,
	signal: AbortSignal,
	answer: () => Promise<Response>,
): Promise<Response> {
	switch (fault.kind) {
		case "429":
		case "599":
			return throttled(fault);
		case "500":
			return Response.json({ errors: ["Internal error"] }, { status: fault.status ?? 500 });
		case "html":
			return html(fault.status ?? 200);
		case "silence":
			await pause(SILENCE_MS_MAX, signal);
			return new Response(null, { status: 504 });
		case "slow":
			await pause(fault.delayMs ?? SLOW_MS, signal);
			return await answer();
		case "huge":
			return huge(fault.bytes ?? HUGE_BYTES);
		case "truncated": {
			const whole = await answer();
			const text = await whole.text();
			return json(text.slice(0, Math.floor(text.length / 2)), whole.status);
		}
		case "wrong_types":
			return await changed(await answer(), twist);
		case "odd_data":
			return await changed(await answer(), muddle);
		case "zero_floor":
			return await changed(await answer(), emptyFloor);
		default:
			return await answer();
	}
}

function meets({ path = "" }: AnyFault, asked: string): boolean {
	return new RegExp(path).test(asked);
}

function isTransport(fault: AnyFault): fault is Fault {
	return TRANSPORT_KINDS.some((kind) => kind === fault.kind);
}

function throttled(fault: Fault): Response {
	const headers = new Headers({ "content-type": "application/json" });
	if (fault.retryAfter !== undefined) headers.set("retry-after", String(fault.retryAfter));
	const body = JSON.stringify({ detail: "Request was throttled." });
	return new Response(body, { status: Number(fault.kind), headers });
}

function html(status: number): Response {
	const page = "<!doctype html><title>One moment</title><h1>Checking your browser</h1>";
	return new Response(page, { status, headers: { "content-type": "text/html" } });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	if (signal.aborted) resolve();
	await promise.finally(() => clearTimeout(timer));
}

/** Generates the body while it is read, so that it needs no memory here. */
function huge(bytes: number): Response {
	const chunk = new Uint8Array(CHUNK_BYTES).fill(0x20);
	let left = bytes;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			if (left <= 0) return controller.close();
			controller.enqueue(left >= CHUNK_BYTES ? chunk : chunk.subarray(0, left));
			left -= CHUNK_BYTES;
		},
	});
	return new Response(body, { headers: { "content-type": "application/json" } });
}

function json(text: string, status: number): Response {
	return new Response(text, { status, headers: { "content-type": "application/json" } });
}

async function changed(answer: Response, change: (value: unknown) => unknown): Promise<Response> {
	const text = await answer.text();
	if (answer.status !== 200) return json(text, answer.status);
	return json(JSON.stringify(change(JSON.parse(text))), 200);
}

/** Replaces every scalar by one of another type; the shape stays. */
function twist(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(twist);
	if (typeof value === "string") return 12_345;
	if (typeof value === "number") return "many";
	if (typeof value === "boolean") return "yes";
	if (typeof value !== "object" || value === null) return [];
	return mapValues(value, (_, inner) => twist(inner));
}

function mapValues(value: object, change: (key: string, inner: unknown) => unknown): unknown {
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(key, inner)]));
}

/**
 * Keeps types, but makes contents odd: no chain or three, markup in names, objects for trait
 * values.
 */
function muddle(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(muddle);
	if (typeof value !== "object" || value === null) return value;
	return mapValues(value, (key, inner) => {
		if (key === "contracts" && Array.isArray(inner)) return oddContracts(inner);
		if (key === "name" && typeof inner === "string") {
			return `<img src=x onerror=alert(1)>\u0000\u001b[31m${inner}\u202e`;
		}
		if (key === "value" && typeof inner === "string") return { odd: [inner] };
		return muddle(inner);
	});
}

function oddContracts(contracts: unknown[]): unknown[] {
	const text = JSON.stringify(contracts);
	if (text.charCodeAt(text.length >> 1) % 2 === 0) return [];
	const others = ["ethereum", "base"].map((chain) => ({ address: `0x${"ab".repeat(20)}`, chain }));
	return [...contracts, ...others];
}

function emptyFloor(value: unknown): unknown {
	if (typeof value !== "object" || value === null || !("total" in value)) return value;
	return {
		...value,
		total: { ...Object(value.total), floor_price: 0, floor_price_symbol: "" },
	};
}
