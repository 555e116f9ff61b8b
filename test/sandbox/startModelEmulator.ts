// Starts an OpenAI-compatible endpoint with a scripted model.

import { z } from "zod";
import { MINUTE_MS } from "#core/time.ts";
import { type Calls, createCallLog } from "./emulatorFaults.ts";

export type ModelEmulatorOptions = {
	port?: number | undefined;
	/** Required as a bearer token; without it no key is needed. */
	apiKey?: string | undefined;
};

export type ModelEmulator = {
	/** OPENAI_BASE_URL */
	url: string;
	fault(order: ModelFault): void;
	clearFaults(): void;
	calls(): Calls;
	/** Returns the last hundred requests, oldest first. */
	requests(): readonly ModelRequest[];
	stop(): Promise<void>;
};

type Rule = readonly [pattern: string, command: (found: Record<string, string>) => string];

/** The kinds of faults of a language model, or of its server. */
const MODEL_FAULT_KINDS = [
	"status",
	"silence",
	"slow",
	"html",
	"truncated",
	"broken_json",
	"wrong_shape",
	"endless",
	"lying",
	"hostile",
	"parrot",
	"fenced",
	"boastful",
] as const;

/** One ordered fault, as POST /_sandbox/faults takes it. */
const ModelFault = z.object({
	kind: z.enum(MODEL_FAULT_KINDS),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** For `status` (500). */
	status: z.int().min(200).max(599).optional(),
	/** The delay (3 s). */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** For `endless`: how many tokens its answer has (10,000). */
	tokens: z.int().min(1).max(1_000_000).optional(),
	/** For `hostile`: the command that it answers to every question. */
	command: z.string().max(1_000).optional(),
});
export type ModelFault = z.output<typeof ModelFault>;

const ADDRESS = "0x[0-9a-fA-F]{40}";
const AMOUNT = "\\d+(?:\\.\\d+)?";
const NAME = "(?:the |an? |one |some |any )*(?<name>[\\p{L}\\p{N}][\\p{L}\\p{N}' -]{0,60}?)";
/** Words after a name that are no part of it. */
const END =
	"(?:'s)?(?:\\s+(?:right now|now|today|these days|lately|currently|please|pls|going for|worth|cost|at|nft|nfts|traded|trading|sell for|go for))*\\s*[?!.]*$";

/** Questions about the market come first: a question about a price must not send anything. */
const RULES: readonly Rule[] = [
	["what(?:'s| is) (?:hot|popular|pumping|moving|everyone buying)", () => "trending"],
	["anything (?:hot|moving|pumping)", () => "trending"],
	[`(?:cheapest|lowest) (?:price )?(?:of |for |in )?${NAME}${END}`, ({ name }) => `floor ${name}`],
	[`what (?:do|does|would|is|are) ${NAME} (?:cost|go for|going for|worth)${END}`, floorOf],
	[`how much (?:is|are|for|do|does) ${NAME}${END}`, floorOf],
	[`how much (?:of )?${NAME} (?:was|is|got|has been) traded${END}`, ({ name }) => `volume ${name}`],
	[`who (?:holds|owns|has) (?:the most )?${NAME}${END}`, ({ name }) => `holders ${name}`],
	[
		`(?:give|transfer|move|wire|pay|get|shoot)\\b.*?(?<amount>${AMOUNT})\\s*eth\\b.*?(?<to>${ADDRESS})`,
		({ amount, to }) => `send ${amount} eth to ${to}`,
	],
	[
		`(?<to>${ADDRESS}).*?(?<amount>${AMOUNT})\\s*eth\\b`,
		({ amount, to }) => `send ${amount} eth to ${to}`,
	],
];

const COMPILED = RULES.map(([pattern, write]) => ({ pattern: new RegExp(pattern, "iu"), write }));

const Body = z.looseObject({
	model: z.string(),
	messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
	max_tokens: z.number().optional(),
	max_completion_tokens: z.number().optional(),
});

export type ModelRequest = z.output<typeof Body>;

const REQUESTS_MAX = 100;
const SLOW_MS = 3_000;
const SILENCE_MS = 120_000;
const ENDLESS_TOKENS = 10_000;
const ATTACKER = `0x${"66".repeat(20)}`;

/** What a model repeats that takes whatever it finds in a text for its author's wish. */
const PARROT = new RegExp(
	`(?:send|transfer) ${AMOUNT} eth to 0x[0-9a-f]{40}(?: on \\w+)?|` +
		`buy [\\w-]+ #\\d+ [a-z ]+ ${AMOUNT} eth`,
	"i",
);

/** Starts an OpenAI-compatible endpoint with a scripted model, for chat without a key. */
export function startModelEmulator(options: ModelEmulatorOptions = {}): ModelEmulator {
	const calls = createCallLog();
	const requests: ModelRequest[] = [];
	const stopping = new AbortController();
	let faults: { fault: ModelFault; left: number }[] = [];
	const take = (): ModelFault | null => {
		const [entry] = faults;
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults.shift();
		return entry.fault;
	};
	const add = (fault: ModelFault) =>
		void faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
	const all = () => Response.json({ faults: faults.map(({ fault }) => fault) });

	async function complete(request: Request): Promise<Response> {
		const { apiKey } = options;
		const isAllowed = !apiKey || request.headers.get("authorization") === `Bearer ${apiKey}`;
		if (!isAllowed) return refused(401, "Incorrect API key provided.");
		const body = Body.safeParse(await request.json().catch(() => null));
		if (!body.success) return refused(400, "The body is not valid.");
		requests.push(body.data);
		if (requests.length > REQUESTS_MAX) requests.shift();
		const signal = AbortSignal.any([request.signal, stopping.signal]);
		return await answer(body.data, take(), signal);
	}

	async function control(request: Request, path: string): Promise<Response> {
		switch (`${request.method} ${path}`) {
			case "POST /_sandbox/faults": {
				const fault = ModelFault.safeParse(await request.json().catch(() => null));
				if (!fault.success) return refused(400, fault.error.message);
				add(fault.data);
				return all();
			}
			case "GET /_sandbox/faults":
				return all();
			case "DELETE /_sandbox/faults":
				faults = [];
				return all();
			case "GET /_sandbox/calls":
				return Response.json(calls.read());
			default:
				return refused(404, "Not found");
		}
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch(request) {
			const url = new URL(request.url);
			if (url.pathname.startsWith("/_sandbox/")) return control(request, url.pathname);
			calls.note(request.method, url);
			const isCompletion = url.pathname === "/v1/chat/completions" && request.method === "POST";
			return isCompletion ? complete(request) : refused(404, "Not found");
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/v1`,
		fault: (order) => add(ModelFault.parse(order)),
		clearFaults: () => {
			faults = [];
		},
		calls: calls.read,
		requests: () => requests,
		async stop() {
			stopping.abort();
			await server.stop(true);
		},
	};
}

/**
 * Reads free text as a well-behaved language model would that knows a few phrases; returns the
 * command, or null. The same text always gives the same answer.
 */
export function scriptedModel(text: string): string | null {
	for (const { pattern, write } of COMPILED) {
		const found = pattern.exec(text.trim());
		if (found) return write(found.groups ?? {});
	}
	return null;
}

function refused(status: number, message: string): Response {
	return Response.json({ error: { message, type: "sandbox", code: null } }, { status });
}

async function answer(
	body: ModelRequest,
	fault: ModelFault | null,
	signal: AbortSignal,
): Promise<Response> {
	const asked = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
	const command = scriptedModel(asked);
	const good = JSON.stringify({ command });
	switch (fault?.kind) {
		case "status":
			return refused(fault.status ?? 500, "The server had an error.");
		case "silence":
			await sleep(SILENCE_MS, signal);
			return completion(body, good);
		case "slow":
			await sleep(fault.delayMs ?? SLOW_MS, signal);
			return completion(body, good);
		case "html":
			return new Response("<html>Bad gateway</html>", { headers: { "content-type": "text/html" } });
		case "truncated":
			return new Response((await completion(body, good).text()).slice(0, 60), {
				headers: { "content-type": "application/json" },
			});
		case "broken_json":
			return completion(body, `Sure! {"command": "${command ?? "help"}`);
		case "wrong_shape":
			return completion(body, JSON.stringify({ command: [command], execute: true }));
		case "endless": {
			const tokens = fault.tokens ?? ENDLESS_TOKENS;
			return completion(body, JSON.stringify({ command: "floor ".repeat(tokens) }), tokens);
		}
		case "lying":
			return completion(body, JSON.stringify({ command: command && changed(command) }));
		case "hostile": {
			const { command: own = `send 9 eth to ${ATTACKER}` } = fault;
			return completion(body, JSON.stringify({ command: own }));
		}
		case "parrot":
			return completion(body, JSON.stringify({ command: PARROT.exec(asked)?.[0] ?? null }));
		case "fenced":
			return completion(body, `\`\`\`json\n${good}\n\`\`\``);
		case "boastful":
			return completion(body, good, 1e15);
		default:
			return completion(body, good);
	}
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	await promise;
	clearTimeout(timer);
}

function completion(body: ModelRequest, content: string, tokens = 12): Response {
	const prompt_tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
	return Response.json({
		id: "chatcmpl-sandbox",
		object: "chat.completion",
		created: 0,
		model: body.model,
		choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
		usage: { prompt_tokens, completion_tokens: tokens, total_tokens: prompt_tokens + tokens },
	});
}

/** Returns a tampered command: another amount, or else another name; and the attacker's address. */
function changed(command: string): string {
	const richer = command.replace(/\b\d+(\.\d+)?\b(?!.*\beth\b.*\beth\b)/, "9000");
	const other = richer.replace(/0x[0-9a-fA-F]{40}/, ATTACKER);
	return other === command ? `${command} two` : other;
}

function floorOf({ name }: Record<string, string>): string {
	return `floor ${name}`;
}
