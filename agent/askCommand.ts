// Asks the running service from a terminal, and prints its reply.

import { parseArgs } from "node:util";
import { z } from "zod";
import { agentConfig } from "#agent/agentConfig.ts";
import { agentFault } from "#agent/faults.ts";
import { replySchema } from "#agent/reply/renderLine.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { readCapped } from "#core/http/call.ts";
import type { CliCommand } from "#core/plugin/Plugin.ts";

const USAGE = 'ask "<text>" [--url URL]';
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 8_388_608;
/** Holds the session token. A variable, because other users of a machine can see arguments. */
const TOKEN = "TAPELINE_TOKEN";

/** Asks the running service from a terminal; prints the reply's line, links and suggestions. */
export const askCommand: CliCommand = {
	name: "ask",
	usage: USAGE,
	summary: `ask the running service, as ${TOKEN} where that is set`,
	async run(args, { env, out, note }) {
		const { text, url = serviceUrl(env) } = readArguments(args);
		const reply = await ask({ url, text, token: env[TOKEN] || null });
		const { line, links, suggestions, kind, isProposal, command } = reply;
		if (isProposal) note(`read as: ${command}`);
		out(line);
		for (const link of links) out(`${link.rel}: ${link.url}`);
		for (const { label, command: instead } of suggestions) {
			out(label === instead ? `  ${instead}` : `  ${instead}  (${label})`);
		}
		const refusal = refusalOf(reply);
		if (refusal !== null) note(`not done: ${refusal}`);
		return kind === "done" && refusal === null ? 0 : 1;
	},
};

const endedBadly = z.object({
	status: z.enum(["rejected", "failed", "expired"]),
	errorCode: z.string().nullish(),
});

/**
 * Returns the reason why a requested action was refused by the execution path although its tool
 * answered; null otherwise. It sets the exit code for scripts. Reading an action that failed, or
 * cancelling one, counts as success.
 */
function refusalOf({ kind, tool, data }: z.infer<typeof replySchema>): string | null {
	const ended = endedBadly.safeParse(data);
	if (kind !== "done" || tool?.startsWith("read_") || !ended.success) return null;
	const { status, errorCode } = ended.data;
	return errorCode === "cancelled" ? null : (errorCode ?? status);
}

function readArguments(args: readonly string[]): { text: string; url: string | undefined } {
	try {
		const { values, positionals } = parseArgs({
			args: [...args],
			options: { url: { type: "string" } },
			allowPositionals: true,
		});
		const text = positionals.join(" ");
		if (text !== "") return { text, url: values.url?.replace(/\/+$/, "") };
	} catch {
		// An unknown option: the usage below lists the valid ones.
	}
	throw agentFault.usage({ public: `bun run svc ${USAGE}` });
}

/**
 * Returns the URL of the service that this configuration starts: `PUBLIC_URL`, or where it listens.
 */
function serviceUrl(env: Environment): string {
	const schema = agentConfig.pick({ HOST: true, PORT: true, PUBLIC_URL: true });
	const section = { owner: "agent", schema };
	const read = parseConfig([section], env).of(section);
	if (read.PUBLIC_URL !== undefined) return read.PUBLIC_URL;
	const isAny = read.HOST === "0.0.0.0" || read.HOST === "::";
	const host = isAny ? "127.0.0.1" : read.HOST;
	return `http://${host.includes(":") ? `[${host}]` : host}:${read.PORT}`;
}

type Question = { url: string; text: string; token: string | null };

async function ask({ url, text, token }: Question) {
	const address = `${url}/v1/agent/command`;
	let status: number;
	let said: string | null;
	try {
		const response = await fetch(address, {
			method: "POST",
			redirect: "error",
			signal: AbortSignal.timeout(TIMEOUT_MS),
			headers: {
				"content-type": "application/json",
				"idempotency-key": crypto.randomUUID(),
				...(token === null ? {} : { authorization: `Bearer ${token}` }),
			},
			body: JSON.stringify({ text }),
		});
		status = response.status;
		said = await readCapped(response, ANSWER_BYTES_MAX);
	} catch (cause) {
		// The request may have arrived. Sending it again would be a new request, and might pay twice.
		const doubt = ' It may have been done all the same: ask "my intents" before you send it again.';
		const words = `No answer came from ${address}: is it running?${token === null ? "" : doubt}`;
		throw agentFault.askFailed({ public: words, cause });
	}
	const parsed = replySchema.safeParse(parseJson(said ?? ""));
	if (status === 200 && parsed.success) return parsed.data;
	throw agentFault.askFailed({ public: `${address} answered ${status}: ${detailOf(said)}` });
}

function detailOf(said: string | null): string {
	const problem = parseJson(said ?? "");
	const isProblem = typeof problem === "object" && problem !== null && "detail" in problem;
	return isProblem ? String(problem.detail) : "that is no answer of this service";
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
