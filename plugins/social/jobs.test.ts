import { afterAll, beforeAll, expect, test } from "bun:test";
import { pollJobs, type RadarDeps, radarJobs } from "#plugins/social/jobs.ts";
import { socialConfig } from "#plugins/social/limits.ts";
import { readPosition } from "#plugins/social/sql/events.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the bot posts nothing by itself unless both switches are on.

test.each([
	[false, false, []],
	[true, false, []],
	[false, true, []],
	[true, true, ["social.radar"]],
])(
	"[SOC-06] with ENABLE_PROACTIVE_POSTS %p and ENABLE_TREND_POSTS %p the jobs are %p",
	(posts, trends, jobs) => {
		const config = socialConfig.parse({
			...{ ENABLE_PROACTIVE_POSTS: posts, ENABLE_TREND_POSTS: trends },
		});
		const deps = { core: {}, agent: {}, x: {}, config } as unknown as RadarDeps;
		expect(radarJobs(deps).map(({ name }) => name)).toEqual(jobs);
	},
);

test("[SOC-06] both switches are off unless they are set", () => {
	expect(socialConfig.parse({})).toMatchObject({
		...{ ENABLE_PROACTIVE_POSTS: false, ENABLE_TREND_POSTS: false },
	});
});

// Guarantee: polling hides nothing: neither behind a position that no text has reached, nor in
// silence where there is more than it reads.

const NOW_MS = 1_800_000_000_000;
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

const idAt = (ms: number) => String(BigInt(ms - 1_288_834_974_657) << 22n);

/** Opens the job that polls mentions over pages of X's, with what it stored and logged. */
function openPoll(pageOf: (n: number) => { ids: string[]; next: string | undefined }) {
	const heard = { stored: [] as string[], errors: [] as string[], pages: 0 };
	const log = {
		warn: () => {},
		error: (line: string) => void heard.errors.push(line),
	};
	const x = {
		botId: async () => "1",
		async read() {
			const { ids, next } = pageOf(heard.pages++);
			const data = ids.map((id) => ({ id, text: "@bot help", author_id: "7" }));
			return { data, meta: { next_token: next } };
		},
	};
	const [job] = pollJobs({
		core: { db: database.db, clock: { nowMs: () => NOW_MS }, log },
		config: socialConfig.parse({}),
		x,
		reads: { spend: (_: number, run: (used: () => void) => unknown) => run(() => {}) },
		receive: async (written: Written[]) => {
			heard.stored.push(...written.map(({ id }) => id));
			return written.length;
		},
	} as never);
	return { heard, run: () => job?.run({ signal: new AbortController().signal } as never) };
}

test("a text with an id of the future is stored, and hides none that is written before that time", async () => {
	const [past, future] = [idAt(NOW_MS - 1_000), idAt(NOW_MS + 3_600_000)];
	const { heard, run } = openPoll(() => ({ ids: [future, past, "9".repeat(20)], next: undefined }));
	await run();
	expect(heard.stored).toEqual([future, past, "9".repeat(20)]);
	expect(await readPosition(database.db, "mentions")).toBe(past);
});

test("more new texts than one poll reads are reported, and a poll that reads all is not", async () => {
	let id = BigInt(idAt(NOW_MS - 1_000));
	const next = () => [String(++id)];
	const endless = openPoll(() => ({ ids: next(), next: "more" }));
	await endless.run();
	expect(endless.heard.pages).toBe(8);
	expect(endless.heard.errors).toEqual(["X has more new texts than are polled at once"]);
	const enough = openPoll((n) => ({ ids: next(), next: n < 7 ? "more" : undefined }));
	await enough.run();
	expect([enough.heard.pages, enough.heard.errors]).toEqual([8, []]);
});
