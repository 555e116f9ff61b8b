import type { Fault } from "./Fault.ts";

const SLOW_MS = 3_000;
const SILENCE_MS_MAX = 120_000;
const HUGE_BYTES = 200 * 1_048_576;
const CHUNK_BYTES = 65_536;

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

async function changed(answer: Response, change: (value: unknown) => unknown): Promise<Response> {
	const text = await answer.text();
	if (answer.status !== 200) return json(text, answer.status);
	return json(JSON.stringify(change(JSON.parse(text))), 200);
}

function json(text: string, status: number): Response {
	return new Response(text, { status, headers: { "content-type": "application/json" } });
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

function mapValues(value: object, change: (key: string, inner: unknown) => unknown): unknown {
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(key, inner)]));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	if (signal.aborted) resolve();
	await promise.finally(() => clearTimeout(timer));
}
