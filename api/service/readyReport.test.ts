import { expect, test } from "bun:test";
import { readyReport } from "#api/service/readyReport.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Host } from "#core/plugin/createHost.ts";

function report(query: () => Promise<unknown>, health: Record<string, string | null>) {
	const core = { db: { query } } as unknown as Core;
	const host = { health: async () => new Map(Object.entries(health)) } as unknown as Host;
	return readyReport(core, host);
}

const answers = async () => [];

test("a process is ready when its database answers and every plugin is well", async () => {
	expect(await report(answers, { a: null, b: null })).toEqual({
		ready: true,
		components: ["database", "a", "b"].map((name) => ({ name, ready: true })),
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
