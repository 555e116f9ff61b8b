import { agentFault } from "#agent/faults.ts";
import type { CallModel } from "#agent/model/createModelReader.ts";
import { readCapped } from "#core/http/readCapped.ts";

/** The longest answer; a command needs far fewer than ten thousand tokens. */
const ANSWER_BYTES_MAX = 65_536;

export type ModelAddress = { baseUrl: string; apiKey: string | null; model: string };

/**
 * Makes the function that calls an OpenAI-compatible endpoint, at `/chat/completions`: most
 * endpoints lack `/responses`, the library's default.
 *
 * The libraries take 25 MB and a third of a second to load, so the first text that needs them loads
 * them.
 */
export function callModel({ baseUrl, apiKey, model }: ModelAddress): CallModel {
	return async ({ instructions, text, tokensMax, signal }) => {
		const [{ createOpenAI }, { generateText, Output }, { z }] = await Promise.all([
			import("@ai-sdk/openai"),
			import("ai"),
			import("zod"),
		]);
		const openai = createOpenAI({
			baseURL: baseUrl,
			// Local endpoints need no key, but the library does.
			apiKey: apiKey ?? "none",
			fetch: boundedFetch as typeof fetch,
		});
		const { output, usage } = await generateText({
			model: openai.chat(model),
			instructions,
			prompt: text,
			output: Output.object({ schema: z.object({ command: z.string().nullable() }) }),
			maxOutputTokens: tokensMax,
			temperature: 0,
			maxRetries: 0,
			abortSignal: signal,
		});
		return { written: output, tokens: usage.totalTokens ?? 0 };
	};
}

/**
 * Fetches with limits: follows no redirect, which would carry the key elsewhere, and caps the
 * answer.
 */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
	const response = await fetch(url, { ...init, redirect: "error" });
	const { status, statusText, headers } = response;
	const text = await readCapped(response, ANSWER_BYTES_MAX);
	if (text === null) throw agentFault.modelFailed({ detail: "its answer is too long" });
	const kept = new Headers({ "content-type": headers.get("content-type") ?? "" });
	return new Response(text, { status, statusText, headers: kept });
}
