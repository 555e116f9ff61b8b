import { expect, test } from "bun:test";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import { pruneFramesJob } from "#core/outbox/pruneFramesJob.ts";

test("one process of the cluster prunes what is older than an hour", async () => {
	const asked: number[] = [];
	const outbox: Pick<Outbox, "prune"> = { prune: async (beforeMs) => asked.push(beforeMs) };
	const job = pruneFramesJob(outbox as Outbox, { nowMs: () => 10_000_000 });
	await job.run({ signal: new AbortController().signal });
	expect(asked).toEqual([10_000_000 - 3_600_000]);
	expect(job.lock).toBe("cluster");
});
