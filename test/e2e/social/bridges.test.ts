import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BridgeLab, openBridgeLab } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";
import { socialEnv } from "#test/sandbox/social/SocialFault.ts";
import {
	type SocialEmulator,
	startSocialEmulator,
} from "#test/sandbox/social/startSocialEmulator.ts";

// Guarantee: a post bridges only where operators enabled it, and to or back to its author's own
// wallets only; to another address never without a yes by a link.

const BOT = "@tapeline_bot";
const ALICE = "0x00000000000000000000000000000000000a11ce";
const OWN = {
	SESSION_SECRET: "a secret of these tests, long enough",
	PUBLIC_URL: "https://app.example",
};
const ROUTE = "from anvil to robinhood as USDG";

type Row = { id: string; status: string; errorCode: string | null; channel: string };

let x: SocialEmulator;
let lab: BridgeLab;
beforeAll(async () => {
	x = startSocialEmulator({ nowMs: () => Date.now() });
	const env = { ...socialEnv(x.url, x.access), ...OWN };
	lab = await openBridgeLab({ env });
	const { subject, username } = lab.custody.person("ada");
	x.addPerson({ id: subject ?? "", username: username ?? "", isAutomated: false });
	x.addPerson({ id: "9100000000000000001", username: "stranger", isAutomated: false });
	await lab.enrol();
	x.sendWebhooksTo(`${lab.service.url}/v1/social/webhook`);
	// The bot sends messages only to people who wrote to it first.
	await say("ada", "help", "dm");
});
afterAll(async () => {
	await lab?.stop();
	await x?.stop();
});

/** Writes to the bot; resolves once all its answers are sent. */
async function say(by: string, text: string, via: "post" | "dm" = "post") {
	const { source, delivered } =
		via === "post"
			? (({ post, ...rest }) => ({ source: post, ...rest }))(x.post({ by, text: `${BOT} ${text}` }))
			: (({ message, ...rest }) => ({ source: message, ...rest }))(x.message({ by, text }));
	await delivered;
	const { db } = lab.service.core;
	await until(async () => {
		const [open] = await db.query(
			`select from social.event where id = $1 and state in ('answered', 'ignored', 'dropped')
			and not exists (select from social.reply where event_id = $1
				and state in ('ready', 'sending', 'uncertain'))`,
			[`${via}:${source.id}`],
		);
		return open !== undefined;
	}, `"${text}" is answered`);
	const post = x.timeline.posts.find(({ replyTo }) => replyTo === source.id)?.text ?? null;
	return { post, dm: x.timeline.messages.at(-1)?.text ?? null };
}

const bridges = () =>
	lab.service.core.db.query<Row>(
		`select id, status, error_code as "errorCode", channel from bridge.bridge order by created_at`,
	);
/** Replaces the service by one on the same data, with another environment. */
async function restart(more: Record<string, string>): Promise<void> {
	await lab.restart(more);
	x.sendWebhooksTo(`${lab.service.url}/v1/social/webhook`);
}

const deposits = () => lab.bridge.ledger().flatMap((one) => one.deposits).length;

test("[BRG-11] a post bridges nothing if ENABLE_SOCIAL_BRIDGING is off, and a signed request does", async () => {
	const before = deposits();
	const { post } = await say("ada", `bridge 0.01 eth ${ROUTE}`);
	expect(post).toContain("It is rejected");
	expect((await bridges()).at(-1)).toMatchObject({
		...{ channel: "social", status: "rejected", errorCode: "bridging_disabled" },
	});
	expect(deposits()).toBe(before);
	const { body } = await lab.ask("/v1/bridges/intents", { command: `bridge 0.01 eth ${ROUTE}` });
	await lab.reached(body.id, ["success"]);
	expect(deposits()).toBeGreaterThan(before);
});

test("[BRG-11] a post bridges to its author's own wallet within the channel's cap if that is on", async () => {
	await restart({ ENABLE_SOCIAL_BRIDGING: "true" });
	const before = deposits();
	await until(async () => {
		const { post } = await say("ada", `bridge 0.01 eth ${ROUTE}`);
		expect(post).not.toContain("0.01");
		return (await bridges()).at(-1)?.errorCode === null;
	}, "prices are known");
	await until(async () => deposits() > before, "the money is on its way");
	await say("ada", `bridge 3 eth ${ROUTE}`);
	expect((await bridges()).at(-1)).toMatchObject({ errorCode: "per_trade_limit" });
});

test.each([
	["recipient", `recipient ${ALICE}`],
	["refund", `refund to ${ALICE}`],
])(
	"[SOC-04] a post that names somebody else as %s needs a confirmation by a link, or waits",
	async (_, tail) => {
		const before = deposits();
		let asked = await say("ada", `bridge 0.01 eth ${ROUTE} ${tail}`);
		if ((await bridges()).at(-1)?.errorCode === "recipient_cooldown") {
			const sql =
				"update wallets.recipient set first_seen_at = first_seen_at - interval '25 hours'";
			await lab.service.core.db.execute(sql);
			asked = await say("ada", `bridge 0.01 eth ${ROUTE} ${tail}`);
		}
		expect((await bridges()).at(-1)).toMatchObject({
			...{ channel: "social", status: "confirmation_required", errorCode: null },
		});
		expect(asked.post).toContain("needs your yes by a link");
		expect(asked.post).not.toMatch(/0x|app\.example/);
		expect(asked.dm).toMatch(/\/links\/\S+$/);
		expect(deposits()).toBe(before);
	},
);

test("a stranger's bridge command is stored, and nothing is bridged", async () => {
	const before = (await bridges()).length;
	const { post } = await say("stranger", `bridge 0.01 eth ${ROUTE}`);
	expect(post).toContain("not linked");
	expect(await bridges()).toHaveLength(before);
});

test("[BRG-11] operators list, show, retry and disable a post's bridge, and disable a chain", async () => {
	const on = { ENABLE_SOCIAL_BRIDGING: "true" };
	const operate = async (path: string, body?: unknown, method?: string) =>
		(await lab.ask(`/v1/admin/${path}`, body, { admin: true, ...(method && { method }) })).body;
	await restart({ ...on, BRIDGE_DRY_RUN: "true" });
	const before = deposits();
	let quoted: Row | undefined;
	await until(async () => {
		await say("ada", `bridge 0.01 eth ${ROUTE}`);
		quoted = (await bridges()).at(-1);
		return quoted?.status === "quoted";
	}, "a quote is there");
	const id = quoted?.id ?? "";
	expect(await operate(`bridges/${id}`)).toMatchObject({ id, status: "quoted" });
	expect(await operate(`bridges/${id}/retry`, {})).toMatchObject({ id, status: "quoted" });
	expect(deposits()).toBe(before);
	await restart(on);
	await until(async () => {
		await operate(`bridges/${id}/retry`, {});
		return (await operate(`bridges/${id}`)).status !== "quoted";
	}, "it goes on");
	await lab.reached(id, ["success"]);
	expect(deposits()).toBe(before + 1);
	await say("ada", `bridge 0.01 eth ${ROUTE} recipient ${ALICE}`);
	const waiting = (await bridges()).at(-1);
	expect(waiting?.status).toBe("confirmation_required");
	const listed = async () => (await operate("bridges")).bridges.map((one: Row) => one.id);
	// What waits for somebody is listed; what is at its end is not.
	expect((await listed()).filter((one: string) => [id, waiting?.id].includes(one))).toEqual([
		waiting?.id,
	]);
	await operate(`bridges/${waiting?.id}/disable`, {});
	await lab.reached(waiting?.id ?? "", ["disabled"]);
	expect(await listed()).not.toContain(waiting?.id);
	await operate("bridge-chains/4663", { enabled: false }, "PUT");
	await say("ada", `bridge 0.01 eth ${ROUTE}`);
	expect((await bridges()).at(-1)).toMatchObject({ errorCode: "chain_denied" });
	await operate("bridge-chains/4663", { enabled: true }, "PUT");
});
