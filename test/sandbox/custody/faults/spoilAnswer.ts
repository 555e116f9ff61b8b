import { sleep } from "#core/time/sleep.ts";
import type { CustodyFault } from "./CustodyFault.ts";

const SLOW_MS = 3_000;
const SILENCE_MAX_MS = 120_000;
const HUGE_BYTES = 16 * 1_048_576;
const CHUNK_BYTES = 65_536;
const OTHER_HASH = `0x${"5a".repeat(32)}`;

/**
 * Answers a call with a fault; `answer` does the work and returns the correct answer. The work
 * itself handles `late_broadcast`, `claims` and `twice`; here these only delay or pass the answer.
 */
export async function spoilAnswer(
	fault: CustodyFault,
	signal: AbortSignal,
	answer: () => Promise<Response>,
): Promise<Response> {
	switch (fault.kind) {
		case "status":
		case "html":
		case "silence":
		case "huge":
			if (fault.when === "after") await answer();
			return await inPlace(fault, signal);
		case "slow": {
			const delayMs = fault.delayMs ?? SLOW_MS;
			if (fault.when === "before") await sleep(delayMs, signal);
			const said = await answer();
			if (fault.when === "after") await sleep(delayMs, signal);
			return said;
		}
		case "late_broadcast":
			await answer();
			return await inPlace(fault, signal);
		case "truncated": {
			const text = await (await answer()).text();
			return json(text.slice(0, Math.floor(text.length / 2)), 200);
		}
		case "wrong_types":
			return await changed(await answer(), twist);
		case "other_hash":
			return await changed(await answer(), (said) => withData(said, { hash: OTHER_HASH }));
		case "odd_hash":
			return await changed(await answer(), (said) => withData(said, { hash: "0xpending" }));
		case "other_chain":
			return await changed(await answer(), (said) => withData(said, { caip2: "eip155:1" }));
		case "other_reference":
			return await changed(await answer(), (said) => withData(said, { reference_id: "theirs" }));
		case "empty_lookup":
			return Response.json({ transactions: [] });
		case "odd_values":
			return await changed(await answer(), (said) => replaced(said, fault.value ?? null));
		case "twice":
			return await changed(await answer(), repeated);
		default:
			// Faults of webhooks do not affect calls.
			return await answer();
	}
}

async function inPlace(fault: CustodyFault, signal: AbortSignal): Promise<Response> {
	switch (fault.kind) {
		case "html": {
			const page = "<!doctype html><title>One moment</title><h1>Checking your browser</h1>";
			const headers = { "content-type": "text/html" };
			return new Response(page, { status: fault.status ?? 200, headers });
		}
		case "huge":
			return huge(fault.bytes ?? HUGE_BYTES);
		case "status": {
			const headers = new Headers();
			if (fault.retryAfter !== undefined) headers.set("retry-after", String(fault.retryAfter));
			const body = { error: "Something is wrong", ...(fault.code && { code: fault.code }) };
			return Response.json(body, { status: fault.status ?? 500, headers });
		}
		default:
			await sleep(SILENCE_MAX_MS, signal);
			return new Response(null, { status: 504 });
	}
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

async function changed(said: Response, change: (value: unknown) => unknown): Promise<Response> {
	const text = await said.text();
	if (said.status !== 200) return json(text, said.status);
	return json(JSON.stringify(change(JSON.parse(text))), 200);
}

function json(text: string, status: number): Response {
	return new Response(text, { status, headers: { "content-type": "application/json" } });
}

function withData(said: unknown, members: Record<string, string>): unknown {
	if (typeof said !== "object" || said === null || !("data" in said)) return said;
	return { ...said, data: { ...Object(said.data), ...members } };
}

/** Returns a list with each row twice; other answers unchanged. */
function repeated(said: unknown): unknown {
	if (typeof said !== "object" || said === null || !("transactions" in said)) return said;
	return { transactions: [said.transactions, said.transactions].flat() };
}

/** Replaces every number and text by one value; shape and method name stay. */
function replaced(said: unknown, value: unknown): unknown {
	if (Array.isArray(said)) return said.map((one) => replaced(one, value));
	if (typeof said === "string" || typeof said === "number") return value;
	if (typeof said !== "object" || said === null) return said;
	const members = Object.entries(said).map(([key, inner]) => {
		return [key, key === "method" ? inner : replaced(inner, value)];
	});
	return Object.fromEntries(members);
}

/** Replaces every scalar by one of another type; the shape stays. */
function twist(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(twist);
	if (typeof value === "string") return 12_345;
	if (typeof value === "number") return "many";
	if (typeof value === "boolean") return "yes";
	if (typeof value !== "object" || value === null) return [];
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, twist(inner)]));
}
