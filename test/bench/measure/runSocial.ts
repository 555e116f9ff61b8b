// Measures mentions on an emulated X until they are answered.

import { Client } from "pg";
import { signatureOf } from "#plugins/social/x/callX.ts";
import { type Owner, openTrading, type Trading } from "#test/bench/measure/openTrading.ts";
import { peakMemoryMb } from "#test/bench/measure/processCost.ts";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";
import { renderMention } from "#test/sandbox/social/createTimeline.ts";
import { socialEnv } from "#test/sandbox/social/SocialFault.ts";
import {
	type SocialEmulator,
	startSocialEmulator,
} from "#test/sandbox/social/startSocialEmulator.ts";

/** Times of the social channel, from a delivery's start until X has the answer. */
export type SocialTimes = {
	/** Of questions, one at a time. */
	replyMs: readonly number[];
	/** Of strict commands that send, and of the same by HTTP. */
	commandMs: readonly number[];
	kindMs: readonly number[];
	/** Results of so many mentions a second; `lastMs` after the last one. */
	flood: { sent: number; seconds: number; answered: number; left: number; lastMs: number };
	memory: { peakMb: number; startMb: number };
};

export const FLOOD_PER_SECOND = 300;
export const FLOOD_SECONDS = 60;
/** An author has a limit of answers an hour, and each of these asks half as often. */
const AUTHORS = 600;
const OWNERS = 24;
const QUESTIONS = 300;
/** Sends of each owner; the first of all are not counted. */
const SENDS = 12;
const WARM = 40;
const AT_ONCE = 16;
const ANSWER_TIMEOUT_MS = 20_000;
const FLOOD_TIMEOUT_MS = 120_000;
const TEXTS = ["help", "upcoming", "trending", "discover", "floor nothing at all"];

type World = { trading: Trading; x: SocialEmulator };

/** Asks the running service by signed deliveries of an emulated X, which gets its answers. */
export async function runSocial(options: {
	scope: Scope;
	runtimeArgs: readonly string[];
	say(line: string): void;
}): Promise<SocialTimes> {
	const x = startSocialEmulator({ nowMs: () => Date.now() });
	options.scope.defer(() => x.stop());
	const trading = await openTrading({
		...options,
		...{ owners: OWNERS, strangers: 0 },
		env: { ...socialEnv(x.url, x.access), ENABLE_POLLING_FALLBACK: "false" },
	});
	const world = { trading, x };
	const { service } = trading;
	for (const { subject } of trading.owners) person(x, subject);
	const startMb = peakMemoryMb(service.pid);
	const run = async () => {
		const replyMs = await askInTurn(world);
		const commandMs = await sendInTurn(world);
		const kindMs = await payInTurn(world);
		return { replyMs, commandMs, kindMs, flood: await flood(world) };
	};
	const told = await Promise.race([run(), service.failed]);
	const memory = { peakMb: peakMemoryMb(service.pid), startMb };
	await trading.close();
	await x.stop();
	return { ...told, memory };
}

function person(x: SocialEmulator, id: string): void {
	x.addPerson({ id, username: `u${id.slice(-12)}`, isAutomated: false });
}

/** Posts a mention and delivers it; resolves once the webhook has it. */
async function mention({ trading, x }: World, by: string, text: string): Promise<string> {
	const account = x.timeline.account(by);
	if (!account) throw new Error(`nobody is called ${by}`);
	const post = x.timeline.post({ by: account, text: `@${x.bot.username} ${text}` });
	const { bot, timeline } = x;
	const body = JSON.stringify(renderMention(post, { shape: "activity", bot, timeline }));
	const response = await fetch(`${trading.service.url}/v1/social/webhook`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			"x-twitter-webhooks-signature": signatureOf(x.access.webhookSecret, body),
		},
		body,
	});
	await response.body?.cancel();
	if (response.status !== 200) throw new Error(`the webhook answered ${response.status}`);
	return post.id;
}

/** Returns the time until X has the answer, and its text. */
async function answered(world: World, by: string, text: string) {
	const beganMs = performance.now();
	const id = await mention(world, by, text);
	for (;;) {
		const reply = world.x.timeline.posts.findLast(({ replyTo }) => replyTo === id);
		const tookMs = performance.now() - beganMs;
		if (reply) return { tookMs, said: reply.text };
		if (tookMs > ANSWER_TIMEOUT_MS) throw new Error(`"${text}" is not answered`);
		await Bun.sleep(1);
	}
}

async function askInTurn(world: World): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < QUESTIONS + WARM; n++) {
		const by = String(9_400_000_000_000_000_000n + BigInt(n % 40));
		person(world.x, by);
		const text = TEXTS[n % TEXTS.length] ?? "help";
		const { tookMs } = await answered(world, by, text);
		if (n >= WARM) times.push(tookMs);
	}
	return times;
}

async function sendInTurn(world: World): Promise<number[]> {
	const { owners, chain } = world.trading;
	const times: number[] = [];
	for (let n = 0; n < SENDS * owners.length; n++) {
		const owner = owners[n % owners.length] as Owner;
		const text = `send 0.00001 eth to ${owner.external.toLowerCase()}`;
		const { tookMs, said } = await answered(world, owner.subject, text);
		if (!said.includes("submitted")) throw new Error(`a send by mention is answered "${said}"`);
		if (n >= owners.length) times.push(tookMs);
		if ((n + 1) % owners.length === 0) await chain.call("evm_mine");
	}
	return times;
}

/** Measures the same sends by HTTP. */
async function payInTurn({ trading }: World): Promise<number[]> {
	const { owners, chain, service } = trading;
	const times: number[] = [];
	for (let n = 0; n < SENDS * owners.length; n++) {
		const owner = owners[n % owners.length] as Owner;
		const beganMs = performance.now();
		const response = await fetch(`${service.url}/v1/trading/wallet-transfers`, {
			method: "POST",
			headers: {
				authorization: `Bearer ${owner.session}`,
				"content-type": "application/json",
				"x-forwarded-for": `10.8.${n >> 8}.${n & 255}`,
			},
			body: JSON.stringify({
				...{ fromWalletId: owner.walletId, amount: "0.00001", recipients: [owner.external] },
			}),
		});
		const text = await response.text();
		if (!text.includes('"submitted"')) throw new Error(`a send is answered ${text}`);
		if (n >= owners.length) times.push(performance.now() - beganMs);
		if ((n + 1) % owners.length === 0) await chain.call("evm_mine");
	}
	return times;
}

/** Sends so many mentions a second, evenly; reads their results from the database. */
async function flood(world: World): Promise<SocialTimes["flood"]> {
	const { x, trading } = world;
	const authors = Array.from({ length: AUTHORS }, (_, n) =>
		String(9_500_000_000_000_000_000n + BigInt(n)),
	);
	for (const id of authors) person(x, id);
	const count = FLOOD_PER_SECOND * FLOOD_SECONDS;
	const ids: string[] = [];
	const beganMs = performance.now();
	let next = 0;
	async function lane(): Promise<void> {
		for (let n = next++; n < count; n = next++) {
			const waitMs = beganMs + (n * 1_000) / FLOOD_PER_SECOND - performance.now();
			if (waitMs > 0) await Bun.sleep(waitMs);
			const by = authors[n % authors.length] ?? "";
			ids.push(await mention(world, by, TEXTS[n % TEXTS.length] ?? "help"));
		}
	}
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
	const endedMs = performance.now();
	const client = new Client({ connectionString: trading.connectionString });
	await client.connect();
	try {
		const counts = await untilEnded(client, { from: ids[0] ?? "", count });
		const lastMs = performance.now() - endedMs;
		return { sent: ids.length, seconds: (endedMs - beganMs) / 1_000, ...counts, lastMs };
	} finally {
		await client.end();
	}
}

/** Waits until nothing is left to do, and counts answers and reasons. */
async function untilEnded(client: Client, { from, count }: { from: string; count: number }) {
	const untilMs = performance.now() + FLOOD_TIMEOUT_MS;
	for (;;) {
		const { rows } = await client.query<{ answered: number; left: number }>(
			`select count(*) filter (where r.state = 'sent')::int as answered,
				count(*) filter (where e.reason is not null or
					r.state in ('refused', 'unanswered') and r.reason is not null)::int as left
			from social.event e left join social.reply r on r.event_id = e.id and r.via = 'post'
			where e.via = 'post' and e.source_id::numeric >= $1::numeric`,
			[from],
		);
		const counts = rows[0] ?? { answered: 0, left: 0 };
		if (counts.answered + counts.left >= count || performance.now() > untilMs) return counts;
		await Bun.sleep(250);
	}
}
