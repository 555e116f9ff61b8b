// Opens the whole service with a sandbox chain, a wallet provider, a model and X.

import { custodyEnv } from "#test/e2e/documents/startTradingService.ts";
import { openMarketLab } from "#test/harness/openMarketLab.ts";
import { until } from "#test/harness/until.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { socialEnv } from "#test/sandbox/social/SocialFault.ts";
import { type SaidPost, startSocialEmulator } from "#test/sandbox/social/startSocialEmulator.ts";
import { startModelEmulator } from "#test/sandbox/startModelEmulator.ts";

export type EventRow = { id: string; state: string; reason: string | null; attempts: number };
export type ReplyRow = {
	via: "post" | "dm";
	state: string;
	reason: string | null;
	sentId: string | null;
};

export type SocialWorldOptions = {
	env?: Record<string, string>;
	/** Whether X's rate limits apply. */
	keepsRates?: boolean;
	/** Slugs of the provider's collections in this world. */
	only?: readonly string[];
};

/** Final states of events, and open states of replies. */
const EVENT_ENDS = ["answered", "ignored", "dropped"];
const REPLY_OPEN = ["ready", "sending", "uncertain"];

/**
 * Opens the whole service over a sandbox chain, its marketplace, a wallet provider, a model, and X.
 */
export async function openSocialWorld(options: SocialWorldOptions = {}) {
	const { env: more = {}, only = [], keepsRates = false } = options;
	const model = startModelEmulator();
	let clock = () => Date.now();
	const x = startSocialEmulator({ nowMs: () => clock(), keepsRates });
	const env: Record<string, string> = {
		...{ OPENAI_BASE_URL: model.url, AGENT_MODEL: "scripted", TRADING_DRY_RUN: "false" },
		PUBLIC_URL: "https://app.example",
		SESSION_SECRET: "a secret of these tests, long enough",
		ENABLE_POLLING_FALLBACK: "false",
		...socialEnv(x.url, x.access),
		...more,
	};
	let custody: CustodyEmulator | undefined;
	const lab = await openMarketLab({
		...{ only, env },
		async through(rpcUrl) {
			custody = await startCustodyEmulator({ rpcUrl });
			Object.assign(env, custodyEnv(custody), more);
			return rpcUrl;
		},
	});
	clock = lab.nowMs;
	if (!custody) throw new Error("the lab asked nobody for its node");
	const people = custody;
	const { service } = lab;
	const { db } = service.core;
	for (const { subject, username } of ["ada", "ben", "cleo"].map((name) => people.person(name))) {
		if (subject !== null && username !== null) {
			x.addPerson({ id: subject, username, isAutomated: false });
		}
	}
	x.addPerson({ id: "9100000000000000001", username: "stranger", isAutomated: false });
	x.sendWebhooksTo(`${service.url}/v1/social/webhook`);

	const eventOf = async (id: string): Promise<EventRow | null> =>
		(
			await db.query<EventRow>(
				"select id, state, reason, attempts from social.event where id = $1",
				[id],
			)
		)[0] ?? null;
	const repliesOf = (id: string) =>
		db.query<ReplyRow>(
			`select via, state, reason, sent_id as "sentId" from social.reply where event_id = $1 order by via`,
			[id],
		);

	/** Waits until nothing is left to do about a text, and returns its event and replies. */
	async function settled(id: string) {
		let event: EventRow | null = null;
		let replies: ReplyRow[] = [];
		await until(
			async () => {
				event = await eventOf(id);
				replies = await repliesOf(id);
				const isEnded = event !== null && EVENT_ENDS.includes(event.state);
				return isEnded && replies.every(({ state }) => !REPLY_OPEN.includes(state));
			},
			() => `${id} is answered, and not ${JSON.stringify({ event, replies })}`,
		);
		const textOf = (via: "post" | "dm") => {
			const sentId = replies.find((one) => one.via === via)?.sentId;
			const rows = via === "post" ? x.timeline.posts : x.timeline.messages;
			return rows.find((one) => one.id === sentId)?.text ?? null;
		};
		const row: EventRow = event ?? { id, state: "gone", reason: null, attempts: 0 };
		return { event: row, replies, post: textOf("post"), dm: textOf("dm") };
	}

	/** Posts as this person; resolves once the bot has handled the post. */
	async function mention(by: string, text: string, rest: Partial<SaidPost> = {}) {
		const { post, delivered } = x.post({ by, text, ...rest });
		await delivered;
		return { ...(await settled(`post:${post.versions[0]}`)), source: post };
	}

	/** Sends the bot a direct message; resolves once the bot has handled it. */
	async function dm(by: string, text: string) {
		const { message, delivered } = x.message({ by, text });
		await delivered;
		return { ...(await settled(`dm:${message.id}`)), source: message };
	}

	const tokenOf = (username: string) => people.token({ userId: people.person(username).id });

	return {
		...{
			lab,
			model,
			service,
			custody: people,
			x,
			db,
			env,
			settled,
			mention,
			dm,
			eventOf,
			repliesOf,
		},
		/** Sends a request of a signed-in person and returns its answer. */
		async post(path: string, body: unknown, by: string): Promise<{ status: number; body: any }> {
			const headers = {
				"content-type": "application/json",
				authorization: `Bearer ${tokenOf(by)}`,
			};
			const init = { method: "POST", headers, body: JSON.stringify(body) };
			const response = await fetch(`${service.url}${path}`, init);
			return { status: response.status, body: await response.json() };
		},
		/** Sends an operator's request and returns its answer. */
		async admin(method: string, path: string, headers: Record<string, string> = {}) {
			const key = { "x-api-key": "an-operators-key-of-these-tests", ...headers };
			const response = await fetch(`${service.url}/v1/admin/social${path}`, {
				...{ method, headers: key },
			});
			return { status: response.status, body: (await response.json()) as any };
		},
		intents: () =>
			db.query<{
				id: string;
				kind: string;
				status: string;
				channel: string;
				errorCode: string | null;
			}>(
				`select id, kind, status, channel, error_code as "errorCode" from wallets.intent
				order by created_at`,
			),
		async close(): Promise<void> {
			await lab.close();
			await people.stop();
			await model.stop();
			await x.stop();
		},
	};
}

export type SocialWorld = Awaited<ReturnType<typeof openSocialWorld>>;
