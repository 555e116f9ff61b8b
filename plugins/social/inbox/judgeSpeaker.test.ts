import { expect, test } from "bun:test";
import twitter from "twitter-text";
import { judgeSpeaker } from "#plugins/social/inbox/judgeSpeaker.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";

const nowMs = 1_800_000_000_000;
const idOf = (ms: number) => String(BigInt(ms - 1_288_834_974_657) << 22n);
const terms = { botId: "1", botName: "tapeline", ignoredIds: new Set(["66"]), nowMs };

function said(text: string, rest: Partial<Written> = {}) {
	const id = idOf(nowMs - 1_000);
	return judgeSpeaker(
		{
			...{ via: "post", id, firstId: id, authorId: "2", text },
			...{
				isRepost: false,
				isAutomated: false,
				conversationId: null,
				forId: "1",
				isReadable: true,
			},
			...rest,
		},
		terms,
	);
}

test("a mention is a command if it names the bot, and the name is not part of the command", () => {
	for (const text of [
		"@tapeline floor kiln",
		"@Tapeline  floor kiln",
		"floor kiln @tapeline",
		"floor kiln @TAPELINE!",
		"＠tapeline floor kiln",
		"\u00a0@tapeline\u00a0floor kiln\n",
	]) {
		expect([text, said(text)]).toEqual([text, { kind: "heard", command: "floor kiln" }]);
	}
	for (const text of [
		"floor kiln",
		"@tapelines floor",
		"a@tapeline floor",
		"@tapeline",
		"#tapeline x",
		"!@tapeline floor",
		"@tapeline/lists floor",
		"@tapeline://floor",
	]) {
		expect([text, said(text)]).toEqual([text, { kind: "ignored", reason: "not_named" }]);
	}
	expect(said("floor kiln", { via: "dm" })).toEqual({ kind: "heard", command: "floor kiln" });
});

test("a mention counts in whatever script X recognises it", () => {
	const around = [
		..."の字кдאبกé ßÖěñ Kſ0aZ_-.,;:!?#$%&*@＠/+~()[]\"'’“”…\n\t\u3000\u00a0😀ʻ̈",
		...["rt", "RT:", " rt", "art", ".rt", "a.rt:", "://", "/x", "/1", "s", "の/x"],
		"",
	];
	for (const before of around) {
		for (const after of around) {
			const text = `${before}@tapeline${after} floor kiln`;
			const isNamed = twitter.extractMentions(text).some((one) => one === "tapeline");
			const judged = said(text);
			expect([text, judged.kind === "heard"]).toEqual([text, isNamed]);
		}
	}
	expect(said("の@tapeline")).toEqual({ kind: "heard", command: "の" });
});

test("only a person's own new text is a command: no bot, repost or quote", () => {
	const cases: [string, Partial<Written>][] = [
		["self", { authorId: "1" }],
		["ignored_account", { authorId: "66" }],
		["automated", { isAutomated: true }],
		["not_direct", { forId: "777" }],
		["not_direct", { forId: null }],
		["repost", { isRepost: true }],
		["edited", { id: idOf(nowMs) }],
		["unreadable", { isReadable: false }],
		["unreadable", { text: `@tapeline ${"x".repeat(3_000)}` }],
		["unreadable", { id: idOf(nowMs + 400_000), firstId: idOf(nowMs + 400_000) }],
	];
	for (const [reason, rest] of cases) {
		expect(said("@tapeline floor kiln", rest)).toEqual({ kind: "ignored", reason } as never);
	}
});

test("a text that was written too long ago is late, but its command is still read", () => {
	const old = idOf(nowMs - 601_000);
	for (const via of ["post", "dm"] as const) {
		const judged = said("@tapeline stop", { via, id: old, firstId: old });
		expect(judged).toEqual({ kind: "late", command: "stop" });
	}
	expect(said("stop", { id: old, firstId: old })).toMatchObject({ reason: "not_named" });
});

test("an invisible character is no blank: it stays, so that the grammar refuses it", () => {
	for (const sign of ["\ufeff", "\u200b", "\u2066"]) {
		for (const text of [
			`@tapeline ${sign}floor`,
			`@tapeline floor${sign}`,
			`${sign}@tapeline floor`,
		]) {
			expect(said(text)).toMatchObject({ kind: "heard", command: expect.stringContaining(sign) });
		}
	}
});
