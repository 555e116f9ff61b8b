// Serves the tools over the Model Context Protocol.

import type {
	AuthInfo,
	CallToolResult,
	InputRequiredResult,
	inputRequired,
	McpHttpHandler,
	McpServer,
	ServerContext,
} from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import { z } from "zod";
import { type OpenedAgent, unnamed } from "#agent/openAgent.ts";
import { harmless } from "#agent/reply/renderLine.ts";
import type { AgentContext } from "#agent/routes/command.ts";
import type { ToolResult } from "#agent/runTool.ts";
import { unreachable } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { requestContexts } from "#core/http/requests.ts";
import { takesSlot } from "#core/http/routeMarks.ts";
import type { Log } from "#core/log.ts";
import type { AnyTool, Caller } from "#core/plugin/Tool.ts";

/** The names under which the service is reached, and the pages that may call it. */
export type Door = {
	/** The public address (`PUBLIC_URL`), where it is known. */
	publicUrl: string | undefined;
	/** The address that it listens on (`HOST`). */
	listensOn: string;
	/** Origins of other pages that may call (`WEB_ALLOWED_ORIGINS`). */
	allowedOrigins: readonly string[];
};

export type McpOptions = AgentContext & {
	log: Log;
	door: Door;
	version: string;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

const IDEMPOTENCY_KEY = "idempotency-key";
const keySchema = z.string().nullable().catch(null);

type Asking = typeof inputRequired;

/**
 * Parses what a client declares with each call of 2026-07-28: here that it shows its user an
 * address.
 */
const showsAddresses = z.object({
	"io.modelcontextprotocol/clientCapabilities": z.object({
		elicitation: z.object({ url: z.object({}) }),
	}),
});

/** A one-time link's path with its token, as `plugins/wallets/link` makes them. */
const ONE_TIME_LINK = /(\/links)\/[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;

/**
 * Serves the tools that read and prepare over the Model Context Protocol. A program speaks here,
 * with a user's session or without: nothing executes, and prepared actions wait for their owner.
 *
 * One POST is one exchange; the handler keeps no state, and offers no stream to listen to. Hidden
 * from the OpenAPI document: the protocol describes itself.
 */
export function mcp(options: McpOptions) {
	let handler: Promise<McpHttpHandler> | null = null;
	options.ending.addEventListener("abort", () => void handler?.then((open) => open.close()));
	return new Elysia().post(
		"/mcp",
		async ({ request }) => {
			guardDoor(request, options.door);
			const caller = await callerOf(request, options.agent());
			await refuseBatch(request);
			// The package takes 10 MB and a fifth of a second, so the first request loads it.
			handler ??= open(options);
			const { fetch: answer } = await handler;
			const key = request.headers.get(IDEMPOTENCY_KEY);
			return answer(acceptingBoth(request), { authInfo: authInfoOf(caller, key) });
		},
		{ parse: "none", detail: { hide: true, ...takesSlot() } },
	);
}

/**
 * Throws `origin_not_allowed` (403) for a request of a web page that may not call, and for a host
 * name that is not ours.
 *
 * A page whose own name was pointed at this machine (DNS rebinding) has the same origin for its
 * browser. It cannot send a session's token, but could ask public questions. So, unlike for the
 * other routes, the same host is not enough: the origin must be ours, or listed.
 */
export function guardDoor(request: Request, door: Door): void {
	const origin = request.headers.get("origin");
	if (origin !== null && !originsOf(door).includes(origin) && !isLocalPage(origin, door)) {
		throw httpFault.originNotAllowed();
	}
	const host = requestContexts.get(request)?.target.host ?? new URL(request.url).host;
	if (!knowsHost(host, door)) {
		throw httpFault.originNotAllowed({ public: "This service is not reached by that host name." });
	}
}

async function open({ agent, log, version }: McpOptions): Promise<McpHttpHandler> {
	const sdk = await import("@modelcontextprotocol/server");
	const { createMcpHandler, McpServer, inputRequired: asking } = sdk;
	return createMcpHandler(
		({ authInfo }) => {
			const caller = callerFor(authInfo?.clientId || null);
			const key = keySchema.parse(authInfo?.extra?.["idempotencyKey"]);
			const server = new McpServer({ name: "tapeline", version });
			for (const tool of agent().tools) {
				if (!isServed(tool, caller)) continue;
				register(server, tool, { caller, key, asking, agent: agent() });
			}
			return server;
		},
		{
			maxSubscriptions: 0,
			onerror: (error) => log.debug("an MCP request was refused", { error }),
		},
	);
}

/**
 * Returns a caller with at most a session's authority: a program is not the author of what it
 * sends.
 */
function callerFor(profileId: string | null): Caller {
	return { channel: "mcp", profileId, authority: profileId === null ? "none" : "session" };
}

/**
 * Returns whether this caller sees a tool. Effects are a closed list: a new one does not compile
 * until this function decides about it.
 */
function isServed({ effect, access }: AnyTool, { profileId }: Caller): boolean {
	if (access === "profile" && profileId === null) return false;
	switch (effect) {
		case "read":
		case "prepare":
			return true;
		case "execute":
			return false;
		default:
			return unreachable(effect);
	}
}

function register(
	server: McpServer,
	tool: AnyTool,
	given: { caller: Caller; key: string | null; asking: Asking; agent: OpenedAgent },
): void {
	const { caller, asking, agent } = given;
	const { name, title, description, input, output, effect } = tool;
	const isRead = effect === "read";
	server.registerTool(
		name,
		{
			title,
			description,
			inputSchema: unnamed(input),
			outputSchema: unnamed(output),
			annotations: {
				title,
				readOnlyHint: isRead,
				// A prepared action can be cancelled, and does nothing before its owner agrees.
				destructiveHint: false,
				idempotentHint: isRead,
				openWorldHint: false,
			},
		},
		async (args: unknown, { mcpReq }): Promise<CallToolResult | InputRequiredResult> => {
			const { key, shows } = roundOf(mcpReq, { effect, key: given.key });
			const context = { caller, idempotencyKey: key, signal: mcpReq.signal };
			const result = await agent.runTool(tool, () => args, context);
			return (shows && askOwner(asking, { key, result })) || rendered(result);
		},
	);
}

/**
 * Reads the key of a call, and whether its user can be shown an address. The client calls again
 * once its user was there, with what it was given: the key of the first round, under which the same
 * proposal is answered and none is made. A program that can set no header of each call names a key
 * of its own in the call itself.
 */
function roundOf(
	{ envelope, requestState, _meta: meta }: ServerContext["mcpReq"],
	{ effect, key }: Pick<AnyTool, "effect"> & { key: string | null },
): { key: string | null; shows: boolean } {
	const own = meta?.[IDEMPOTENCY_KEY];
	const named = own === undefined ? key : readKey(own);
	const state = requestState();
	if (typeof state === "string") return { key: named ?? state, shows: false };
	const shows = effect === "prepare" && showsAddresses.safeParse(envelope).success;
	return { key: named ?? (shows ? Bun.randomUUIDv7() : null), shows };
}

/**
 * Sends the user to the page where a proposal waits for them; null where it waits for no answer.
 */
function askOwner(
	asking: Asking,
	{ key, result }: { key: string | null; result: ToolResult },
): InputRequiredResult | null {
	if (result.kind !== "done" || key === null) return null;
	const link = result.links.find(({ rel }) => rel === "confirm" || rel === "sign");
	if (!link) return null;
	const message = withoutSecret(harmless(result.text));
	const owner = asking.elicitUrl({ message, url: withoutSecret(link.url) });
	return asking({ inputRequests: { owner }, requestState: key });
}

function rendered(result: ToolResult): CallToolResult {
	switch (result.kind) {
		case "done": {
			const links = result.links.map(({ rel, url }) => `${rel}: ${withoutSecret(url)}`);
			const age = result.asOf === null ? [] : [`as of ${result.asOf}`];
			const text = [withoutSecret(harmless(result.text)), ...age, ...links].join("\n");
			return {
				content: [{ type: "text", text }],
				structuredContent: JSON.parse(withoutSecret(JSON.stringify(result.output))),
			};
		}
		case "choose": {
			const choices = result.choices.map(({ value, label }) => {
				return `${result.slot} = ${JSON.stringify(value)}: ${harmless(label)}`;
			});
			return failed([harmless(result.question), ...choices].join("\n"));
		}
		case "refused":
			return failed(`${result.fault.code}: ${harmless(result.fault.publicDetail)}`);
		default:
			return unreachable(result);
	}
}

/**
 * Removes the token of every one-time link from a text: a program that had one could approve what
 * it asked for itself. Tools return addresses without one; this is a second check.
 */
function withoutSecret(text: string): string {
	return text.replace(ONE_TIME_LINK, "$1");
}

function failed(text: string): CallToolResult {
	return { isError: true, content: [{ type: "text", text }] };
}

/**
 * Returns the caller by the bearer token alone: a cookie belongs to a browser. Throws
 * `unauthorized` (401) for a wrong token.
 */
async function callerOf(request: Request, agent: OpenedAgent): Promise<Caller> {
	const headers = new Headers(request.headers);
	headers.delete("cookie");
	const bare = new Request(request.url, { method: "GET", headers });
	const profileId = headers.has("authorization") ? await agent.callerOf(bare) : null;
	return callerFor(profileId);
}

/**
 * Throws `malformed_body` (400) for a batch, which the protocol no longer has: one request, counted
 * once, would run a hundred tools.
 */
async function refuseBatch(request: Request): Promise<void> {
	const body: unknown = await request
		.clone()
		.json()
		.catch(() => null);
	if (!Array.isArray(body) || body.length < 2) return;
	throw httpFault.malformedBody({ public: "Send one message in each request." });
}

/**
 * Hands the caller and the request's key on in the package's own way. The token itself goes no
 * further than our check.
 */
function authInfoOf({ profileId }: Caller, idempotencyKey: string | null): AuthInfo {
	return { token: "", clientId: profileId ?? "", scopes: [], extra: { idempotencyKey } };
}

/**
 * Returns a key that a call names. What is no text is made one that every action refuses: a key
 * that cannot be kept must not become none, by which each call would be its own.
 */
function readKey(own: unknown): string {
	return typeof own === "string" ? own : "";
}

/**
 * Returns the request as the package wants it: it answers 406 unless both kinds of answer are
 * named, also where the client takes any, as most programs say, or says nothing.
 */
function acceptingBoth(request: Request): Request {
	const accept = request.headers.get("accept") ?? "*/*";
	const takesAny = accept
		.split(",")
		.some((part) => /^\s*\*\/\*\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/.test(part));
	if (!takesAny) return request;
	const headers = new Headers(request.headers);
	headers.set("accept", "application/json, text/event-stream");
	return new Request(request, { headers });
}

function originsOf({ publicUrl, allowedOrigins }: Door): string[] {
	const own = publicUrl === undefined ? [] : [new URL(publicUrl).origin];
	return [...own, ...allowedOrigins];
}

/**
 * Returns true for a local page if only this machine can connect: names cannot be rebound to it.
 */
function isLocalPage(origin: string, { listensOn }: Door): boolean {
	if (!isLoopback(listensOn) || !URL.canParse(origin)) return false;
	const { protocol, hostname } = new URL(origin);
	return /^https?:$/.test(protocol) && isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
	return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}

/**
 * Returns whether the host is ours. Behind a proxy without `PUBLIC_URL` any name may be: then only
 * the origin decides.
 */
function knowsHost(host: string, { publicUrl, listensOn }: Door): boolean {
	if (!URL.canParse(`http://${host}`)) return false;
	const { hostname } = new URL(`http://${host}`);
	if (isLoopback(hostname) || hostname === listensOn) return true;
	if (publicUrl !== undefined) return hostname === new URL(publicUrl).hostname;
	return !isLoopback(listensOn);
}
