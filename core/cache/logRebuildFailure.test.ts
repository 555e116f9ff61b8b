import { expect, test } from "bun:test";
import { logRebuildFailure } from "#core/cache/logRebuildFailure.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";

const faults = defineFaults({ away: { status: 502, retry: "later", public: "Away." } });

test("a page that an upstream's fault costs is no line in the log, and our own failure is one", () => {
	const said: string[] = [];
	const log = { warn: () => void said.push("warn"), debug: () => void said.push("debug") };
	logRebuildFailure(log, "k", faults.away());
	logRebuildFailure(log, "k", new Error("database is away"));
	expect(said).toEqual(["debug", "warn"]);
});
