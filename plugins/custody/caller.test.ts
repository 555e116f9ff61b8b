import { expect, test } from "bun:test";
import type { Log } from "#core/log.ts";
import { createFailureLog } from "#plugins/custody/caller.ts";
import { LOG_EVERY_MS } from "#plugins/custody/limits.ts";

test("an outage is logged once a minute for each endpoint, with the number of failures since", () => {
	const lines: unknown[] = [];
	const warn: Log["warn"] = (_, context) => void lines.push(context);
	const log: Log = { debug() {}, info() {}, warn, error() {}, with: () => log };
	const time = { nowMs: 0 };
	const tell = createFailureLog({ log, clock: { nowMs: () => time.nowMs } });
	for (let n = 0; n < 50; n++) tell("send", "HTTP 500");
	tell("user", "HTTP 500");
	time.nowMs += LOG_EVERY_MS;
	tell("send", "HTTP 503");
	expect(lines).toEqual([
		{ endpoint: "send", detail: "HTTP 500" },
		{ endpoint: "user", detail: "HTTP 500" },
		{ endpoint: "send", detail: "HTTP 503", untold: 49 },
	]);
});
