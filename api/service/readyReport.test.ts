import { expect, test } from "bun:test";
import { readyReport } from "#api/service/readyReport.ts";
import type { Degradation } from "#core/http/ReadyReport.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Host } from "#core/plugin/createHost.ts";

const stuck: Degradation = { code: "stuck", count: 1, oldestAgeSeconds: 2, action: "Look." };

function report(
	query: () => Promise<unknown>,
	health: Record<string, string | null>,
	{ degraded = [] }: { degraded?: Degradation[] } = {},
) {
	const core = { db: { query } } as unknown as Core;
	const host = {
		health: async () => new Map(Object.entries(health)),
		degraded: async () => degraded.map((one) => ({ component: "a", ...one })),
	} as unknown as Host;
	return readyReport(core, host, { degraded: async () => degraded });
}

const answers = async () => [];

test("a process is ready when its database answers and every plugin is well", async () => {
	expect(await report(answers, { a: null, b: null })).toEqual({
		ready: true,
		components: ["database", "a", "b"].map((name) => ({ name, ready: true })),
		degraded: [],
	});
});

test("what does not go as it should is named with its part, and the process stays ready", async () => {
	expect(await report(answers, { a: null }, { degraded: [stuck] })).toMatchObject({
		ready: true,
		degraded: [
			{ component: "core", ...stuck },
			{ component: "a", ...stuck },
		],
	});
});

test("without its database nobody is asked for that, and the answer is as before", async () => {
	const away = () => Promise.reject(new Error("away"));
	expect(await report(away, { a: null }, { degraded: [stuck] })).toEqual({
		ready: false,
		components: [
			{ name: "database", ready: false, detail: "does not answer" },
			{ name: "a", ready: true },
		],
		degraded: [],
	});
});

test("one plugin that is not well makes it not ready, in its own words", async () => {
	const { ready, components } = await report(answers, { a: null, b: "no blocks" });
	expect(ready).toBe(false);
	expect(components.at(-1)).toEqual({ name: "b", ready: false, detail: "no blocks" });
});

test("[SEC-07] a database that does not answer is said, without its address or its error", async () => {
	const away = () => Promise.reject(new Error("connect ECONNREFUSED postgres://me:c4n4ry@db"));
	const answer = await report(away, {});
	expect(answer.ready).toBe(false);
	expect(JSON.stringify(answer)).not.toContain("c4n4ry");
});
