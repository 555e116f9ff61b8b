// Starts X as far as a bot needs it.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Calls, createCallLog } from "../emulatorFaults.ts";
import { refusal, renderPage, routes, type XOffice } from "./answerX.ts";
import {
	type Account,
	createTimeline,
	type NewPost,
	type Post,
	renderMention,
	renderMessage,
	type Shape,
} from "./createTimeline.ts";
import {
	createGrants,
	createMeter,
	createRates,
	createSocialFaults,
	type SocialAccess,
	type SocialFault,
	type SocialFaultOrder,
	type SocialFaults,
	socialAccessOf,
} from "./SocialFault.ts";

export type SocialEmulatorOptions = {
	nowMs(): number;
	port?: number | undefined;
	/** The users beside the bot. */
	people?: readonly { id: string; username: string }[];
	/** Whether X's rate limits apply. */
	keepsRates?: boolean;
	shape?: Shape;
	say?(line: string): void;
};

export type SaidPost = Omit<NewPost, "by"> & { by: string };

export type SocialEmulator = ReturnType<typeof startSocialEmulator>;

const TRIES_MAX = 3;
const TIMEOUT_MS = 10_000;

const BOT: Account = { id: "8000000000000000001", username: "tapeline_bot", isAutomated: true };
const SILENCE_MS = 120_000;
const Say = z.object({
	by: z.string().max(50),
	text: z.string().min(1).max(25_000),
	via: z.enum(["post", "dm"]),
});
const PostOrder = z.strictObject({
	by: z.string(),
	text: z.string(),
	replyTo: z.string().nullish(),
	quotes: z.string().nullish(),
	edits: z.string().optional(),
});

/** Starts X as far as a bot needs it: posts, mentions, messages, webhooks, limits, prices. */
export function startSocialEmulator(options: SocialEmulatorOptions) {
	const { nowMs, keepsRates = false, say = () => {} } = options;
	const timeline = createTimeline(nowMs);
	const bot = timeline.addAccount({ ...BOT });
	for (const one of options.people ?? []) timeline.addAccount({ ...one, isAutomated: false });
	const access: SocialAccess = socialAccessOf(bot, nowMs().toString(36));
	const grants = createGrants(access, nowMs);
	const meter = createMeter(nowMs);
	const rates = createRates(nowMs);
	const faults = createSocialFaults();
	const calls = createCallLog();
	const deliverer = createDeliverer({ secret: access.webhookSecret, faults, say });
	const stopping = new AbortController();
	const subscriptions = new Set<string>();
	let hasActivity = true;
	let shape: Shape = options.shape ?? "activity";
	const office: XOffice = {
		...{ timeline, bot, meter, subscriptions, webhookId: access.webhookId },
		hasActivity: () => hasActivity,
	};

	function personOf(name: string): Account {
		const known = timeline.account(name);
		if (!known) throw new Error(`nobody is called ${name}`);
		return known;
	}

	/** Posts as this user; the bot is notified when the typed text mentions it. */
	function post({ by, ...rest }: SaidPost): { post: Post; delivered: Promise<void> } {
		const made = timeline.post({ ...rest, by: personOf(by) });
		const typed = [...made.text].slice(made.prefix).join("").toLowerCase();
		const isNamed = typed.includes(`@${bot.username.toLowerCase()}`);
		if (!isNamed) return { post: made, delivered: Promise.resolve() };
		meter.note("delivery");
		return {
			post: made,
			delivered: deliverer.deliver(renderMention(made, { shape, bot, timeline })),
		};
	}

	/** Sends a message from this user to the bot. */
	function message({ by, text }: { by: string; text: string }) {
		const made = timeline.message({ by: personOf(by), to: bot, text });
		meter.note("message_delivery");
		const delivered = deliverer.deliver(renderMessage(made, { shape, bot, timeline }));
		return { message: made, delivered };
	}

	async function answer(request: Request, url: URL): Promise<Response> {
		const call = `${request.method} ${url.pathname}`;
		if (call === "POST /2/oauth2/token") return await grants.refresh(request);
		const route = routes.find(
			({ method, path }) => method === request.method && path.test(url.pathname),
		);
		if (!route) return refusal(404, "Not Found");
		const caller = grants.callerOf(request.headers.get("authorization"));
		if (caller === null) return refusal(401, "Unauthorized");
		if (!route.as.includes(caller)) return refusal(403, "Unsupported authentication.");
		const window = keepsRates ? rates(call) : null;
		if (window !== null && window.left < 0) return tooOften(window.endsAtMs, window.max);
		const [, ...path] = route.path.exec(url.pathname) ?? [];
		const body: unknown = request.method === "POST" ? await request.json().catch(() => null) : null;
		const told = route.answer({ office, path, query: url.searchParams, body });
		if (window !== null) noteWindow(told.headers, window);
		return told;
	}

	/** X says its limit with each answer. */
	function noteWindow(
		headers: Headers,
		{ max, left, endsAtMs }: { max: number; left: number; endsAtMs: number },
	): void {
		headers.set("x-rate-limit-limit", String(max));
		headers.set("x-rate-limit-remaining", String(left));
		headers.set("x-rate-limit-reset", String(Math.ceil(endsAtMs / 1_000)));
	}

	function tooOften(untilMs: number, max?: number): Response {
		const headers = {
			...(max !== undefined && { "x-rate-limit-limit": String(max) }),
			"x-rate-limit-remaining": "0",
			"x-rate-limit-reset": String(Math.ceil(untilMs / 1_000)),
		};
		return Response.json({ title: "Too Many Requests", status: 429 }, { status: 429, headers });
	}

	async function spoiled(fault: SocialFault, proper: () => Promise<Response>): Promise<Response> {
		const pause = (ms: number) => sleep(ms, stopping.signal);
		switch (fault.kind) {
			case "429":
				return tooOften(nowMs() + fault.retryAfter * 1_000);
			case "lost_429":
				await proper();
				return tooOften(nowMs() + fault.retryAfter * 1_000);
			case "status":
				return refusal(fault.status, "Something went wrong.");
			case "html":
				return new Response("<html>Bad gateway</html>", { status: 502 });
			case "lost":
				await proper();
				return refusal(500, "Internal error.");
			case "silence":
				await proper();
				await pause(SILENCE_MS);
				return refusal(500, "Internal error.");
			case "dead":
				await pause(SILENCE_MS);
				return refusal(500, "Internal error.");
			default:
				await pause(fault.delayMs);
				return await proper();
		}
	}

	async function control(request: Request, path: string): Promise<Response> {
		const json = () => request.json().catch(() => null);
		switch (`${request.method} ${path}`) {
			case "POST /_sandbox/say": {
				const form = Object.fromEntries(new URLSearchParams(await request.text()));
				const said = Say.safeParse(form).data;
				if (!said) return refusal(400, "by, text and via (post or dm) are needed.");
				if (said.via === "post") post(said);
				else message(said);
				return new Response(null, { status: 303, headers: { location: "/" } });
			}
			case "POST /_sandbox/posts": {
				const read = PostOrder.safeParse(await json());
				if (!read.success) return refusal(400, read.error.message);
				return Response.json(post(read.data).post);
			}
			case "POST /_sandbox/messages": {
				const read = Say.omit({ via: true }).safeParse(await json());
				if (!read.success) return refusal(400, read.error.message);
				return Response.json(message(read.data).message);
			}
			case "POST /_sandbox/faults":
				faults.add((await json()) ?? { kind: "status" });
				return Response.json({ faults: faults.all() });
			case "DELETE /_sandbox/faults":
				faults.clear();
				return Response.json({ faults: [] });
			case "GET /_sandbox/conversation":
				return Response.json({ posts: timeline.posts, messages: timeline.messages });
			case "GET /_sandbox/cost":
				return Response.json(meter.read());
			case "GET /_sandbox/calls":
				return Response.json(calls.read());
			default:
				return refusal(404, "Not Found");
		}
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		async fetch(request) {
			const url = new URL(request.url);
			if (url.pathname === "/") {
				const headers = { "content-type": "text/html; charset=utf-8" };
				return new Response(renderPage({ timeline, bot }), { headers });
			}
			if (url.pathname.startsWith("/_sandbox/")) return await control(request, url.pathname);
			calls.note(request.method, url);
			const fault = faults.take("call", `${request.method} ${url.pathname}`);
			const proper = () => answer(request, url);
			return fault ? await spoiled(fault, proper) : await proper();
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		access,
		bot,
		timeline,
		grants,
		subscriptions,
		post,
		message,
		person: personOf,
		addPerson: (account: Account) => timeline.addAccount(account),
		deliver: (payload: unknown) => deliverer.deliver(payload),
		fault: (order: SocialFaultOrder) => faults.add(order),
		/** Returns the ordered faults that are left. */
		faults: () => faults.all(),
		clearFaults: () => faults.clear(),
		sendWebhooksTo: (url: string | null) => deliverer.to(url),
		setShape(next: Shape): void {
			shape = next;
		},
		setActivity(has: boolean): void {
			hasActivity = has;
		},
		calls: (): Calls => calls.read(),
		cost: () => meter.read(),
		async stop(): Promise<void> {
			stopping.abort();
			deliverer.stop();
			await server.stop(true);
		},
	};
}

/** Makes the sender of events to the app's webhook: signed, in the order in which they happened. */
function createDeliverer(options: {
	secret: string;
	faults: SocialFaults;
	say(line: string): void;
}) {
	const { secret, faults, say } = options;
	let url: string | null = null;
	let late: string | null = null;
	let queue = Promise.resolve();
	const ending = new AbortController();

	async function send(body: string): Promise<void> {
		if (url === null) return;
		const signature = `sha256=${createHmac("sha256", secret).update(body).digest("base64")}`;
		for (let tried = 0; tried < TRIES_MAX && !ending.signal.aborted; tried++) {
			try {
				const response = await fetch(url, {
					method: "POST",
					headers: {
						"content-type": "application/json",
						"x-twitter-webhooks-signature": signature,
					},
					body,
					signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ending.signal]),
				});
				await response.body?.cancel();
				if (response.ok) return;
				say(`the webhook answered ${response.status}`);
			} catch {
				if (!ending.signal.aborted) say("the webhook did not answer");
			}
		}
	}

	async function deliver(body: string): Promise<void> {
		const fault = faults.take("delivery", url ?? "");
		if (fault?.kind === "drop_delivery") return;
		if (fault?.kind === "late_delivery") {
			late = body;
			return;
		}
		await send(body);
		if (fault?.kind === "duplicate_delivery") await send(body);
		if (late !== null) {
			const held = late;
			late = null;
			await send(held);
		}
	}

	return {
		to(wanted: string | null): void {
			url = wanted;
		},
		/** Resolves once it was delivered, or given up. */
		deliver(payload: unknown): Promise<void> {
			queue = queue.then(() => deliver(JSON.stringify(payload)));
			return queue;
		},
		stop: () => ending.abort(),
	};
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	await promise;
	clearTimeout(timer);
}
