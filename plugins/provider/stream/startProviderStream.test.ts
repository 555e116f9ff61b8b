import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { offStream } from "#plugins/provider/offStream.ts";
import { startProviderStream } from "#plugins/provider/stream/startProviderStream.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";

/** Makes leases of a database that one process at a time holds, and that may be away. */
function leases() {
	const database = { holder: null as string | null, isAway: false };
	const of = (process: string) => ({
		async hold(name: string) {
			if (database.isAway) throw new Error("away");
			database.holder ??= process;
			return database.holder === process ? { name, token: 1 } : null;
		},
		async release() {
			if (database.holder === process) database.holder = null;
		},
	});
	return { database, of };
}

function run(keeper: ReturnType<ReturnType<typeof leases>["of"]>) {
	const stopping = new AbortController();
	const said: string[] = [];
	const stream = {
		...offStream,
		start: () => void said.push("start"),
		stop: async () => void said.push("stop"),
	};
	const { signal } = stopping;
	const shared = { told: 0, learned: 0 };
	const status = {
		tell: async () => void shared.told++,
		learn: async () => void shared.learned++,
	};
	const options = { stream, leases: keeper, status, log: silentLog, signal, everyMs: 1 };
	const over = startProviderStream(options);
	return { stopping, said, over, shared };
}

test("[MRG-13] of many processes one listens, and the next takes over when it is gone", async () => {
	const { of } = leases();
	const first = run(of("first"));
	await until(() => first.said.length === 1);
	const second = run(of("second"));
	await until(() => first.shared.told > 0 && second.shared.learned > 0);
	expect([first.shared.learned, second.shared.told]).toEqual([0, 0]);
	first.stopping.abort();
	await first.over;
	expect(first.said).toEqual(["start", "stop"]);
	await until(() => second.said.length === 1);
	expect(second.said).toEqual(["start"]);
	second.stopping.abort();
	await second.over;
});

test("a process that loses the lease, or the database, stops listening until it has it again", async () => {
	const { database, of } = leases();
	const only = run(of("only"));
	await until(() => only.said.length === 1);
	database.isAway = true;
	await until(() => only.said.length === 2);
	database.isAway = false;
	await until(() => only.said.length === 3);
	database.holder = "another";
	await until(() => only.said.length === 4);
	only.stopping.abort();
	await only.over;
	expect(only.said.slice(0, 4)).toEqual(["start", "stop", "start", "stop"]);
	expect(database.holder).toBe("another");
});
