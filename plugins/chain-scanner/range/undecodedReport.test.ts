import { describe, expect, test } from "bun:test";
import { padHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { undecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

describe("undecodedReport", () => {
	test("a log that does not decode is counted each time and named once, with its context", async () => {
		const metrics = createMetrics();
		const lines: Record<string, unknown>[] = [];
		const log = {
			...silentLog,
			warn: (_: string, context?: Record<string, unknown>) => void lines.push(context ?? {}),
		};
		const report = undecodedReport({ chain: "anvil", metrics, log });
		const raw: RawLog = seaportLogs.log({ topics: [], data: "0x", logIndex: 4 });
		report.undecoded("mint", raw, "has 3 ids and 2 amounts");
		report.undecoded("mint", raw, "has 5 ids and 9 amounts");
		report.undecoded("mint", { ...raw, address: padHex("0x2", { size: 20 }) }, "is cut short");
		report.noise("mint", 7);
		report.noise("mint", 0);
		expect(lines).toHaveLength(2);
		expect(lines[0]).toEqual({
			lane: "mint",
			problem: "has 3 ids and 2 amounts",
			contract: raw.address,
			block: 1,
			logIndex: 4,
			transaction: raw.transactionHash,
		});
		const { body } = await metrics.expose();
		expect(body).toContain('tapeline_logs_undecoded_total{chain="anvil",lane="mint"} 3');
		expect(body).toContain('tapeline_logs_noise_total{chain="anvil",lane="mint"} 7');
	});
});
