import type { FoundOperation } from "#test/conformance/provider/document/findOperation.ts";
import type { Asked } from "#test/conformance/provider/emulator/Asked.ts";
import { answers } from "#test/conformance/provider/emulator/answers/answers.ts";
import type { Call } from "#test/conformance/provider/emulator/Call.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";
import type { Trouble } from "#test/conformance/provider/emulator/Trouble.ts";

export type Answering = { found: FoundOperation | null; asked: Asked; call: Call };

const CURSOR_NAMES = ["next", "cursor"];
const HALF = 2;

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
